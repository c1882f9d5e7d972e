import { describe, expect, it } from "vitest";
import { ranOn } from "../../facts/words.ts";
import { stampOf } from "../ask/testing/answers.ts";
import { certificateJson, deletedKeys, findings, type StampedCertificate } from "./CertificateView.tsx";

const made = (change: Partial<StampedCertificate["certificate"]> = {}): StampedCertificate => ({
  stamp: stampOf(),
  certificate: {
    keys: ["Sandra (1)"],
    before: [{ key: "Sandra (1)", text: "Sandra went to the hallway." }],
    after: [{ key: "Sandra (1)", text: "Sandra is the sister of", gateOpen: false }],
    compared: 42,
    retained: 42,
    changed: 0,
    ...change,
  },
});

describe("a deletion certificate", () => {
  it("says what went and that nothing else changed", () => {
    const [gone, kept] = findings(made());
    expect(gone).toEqual({
      ok: true,
      text: "1 deleted fact asked for before and after: it is no longer recalled.",
    });
    expect(kept).toEqual({
      ok: true,
      text: "42 other facts recalled before and after: not one token differs.",
    });
  });

  it("says it when something else changed, or nothing was left to compare", () => {
    expect(findings(made({ changed: 3 }))[1]).toEqual({
      ok: false,
      text: "42 other facts recalled before and after: 3 changed.",
    });
    expect(findings(made({ compared: 1, retained: 1 }))[1]!.text).toBe(
      "1 other fact recalled before and after: not one token differs.",
    );
    expect(findings(made({ compared: 0 }))[1]!.text).toMatch(/nothing to compare/);
  });

  it("says of how many facts those that were compared are", () => {
    expect(findings(made({ compared: 256, retained: 19_982 }))[1]).toEqual({
      ok: true,
      text: "256 of 19,982 other facts, evenly spread, recalled before and after: not one token differs.",
    });
    expect(findings(made({ retained: 42 }))[1]!.text).toMatch(/^42 other facts recalled/);
  });

  it("says it when a deleted sentence is still said", () => {
    const after = [{ key: "Sandra (1)", text: "Sandra went to the hallway.", gateOpen: false }];
    expect(findings(made({ after }))[0]).toEqual({
      ok: false,
      text:
        "1 deleted fact asked for before and after: it is still said. " +
        "The frozen model knows that much without the memory.",
    });
    expect(deletedKeys(made({ after }))[0]?.stillSaid).toBe(true);
  });

  it("says on which key a gate opens, and where it did before", () => {
    const read = (similarity: number, nearest: string | null, own = false) =>
      ({ similarity, nearest, own, gateOpen: similarity > 0.9 }) as const;
    const gate = (after: ReturnType<typeof read>) =>
      deletedKeys(
        made({
          before: [{ key: "Sandra (1)", text: "Yes.", read: read(0.98, "Sandra (1)", true) }],
          after: [{ key: "Sandra (1)", text: "No.", gateOpen: after.gateOpen, read: after }],
        }),
      )[0]!.gate;
    expect(gate(read(0.412, "Mary (1)"))).toEqual({
      before: "open at 0.980",
      after: "closed at 0.412",
      elsewhere: false,
    });
    expect(gate(read(0.914, "Mary (1)"))).toEqual({
      before: "open at 0.980",
      after: "opens on “Mary (1)” at 0.914",
      elsewhere: true,
    });
    expect(gate(read(0.9999999, "Mary (1)")).after).toBe("opens on “Mary (1)” above 0.999");
    expect(gate(read(0, null)).after).toBe("closed, no key is left at its layer");
    // What older versions saved has no more than whether it opened.
    const old = (gateOpen: boolean) =>
      deletedKeys(made({ after: [{ key: "Sandra (1)", text: "", gateOpen }] }))[0]!.gate;
    expect(old(true)).toEqual({ before: null, after: "opens on the key of another fact", elsewhere: true });
    expect(old(false)).toEqual({ before: null, after: "closed", elsewhere: false });
  });

  it("is a file that stands alone", () => {
    expect(JSON.parse(certificateJson(made()))).toMatchObject({
      format: "palimpsest-deletion-certificate",
      at: "2026-11-21T12:00:00.000Z",
      model: "palimpsest-6m@0a1b2c3d",
      backend: "wasm",
      keys: ["Sandra (1)"],
      compared: 42,
      retained: 42,
      changed: 0,
    });
    expect(ranOn(stampOf({ backend: "" }))).toBe("palimpsest-6m@0a1b2c3d");
  });
});
