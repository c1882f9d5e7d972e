/** @file Studies on the bundled model: small, resumed, cancelled, repeated; and what capacity must show. */

import { THOROUGH } from "../../lib/testing/thorough.ts";
import type { StudySettings, StudyName } from "../../records/studies.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Opened } from "../../engine/testing/models.ts";
import { bundled, leavesNothing } from "../../engine/testing/useBundled.ts";
import { Cancelled } from "../../lib/assert.ts";
import { makeDocument } from "../../ingest/text.ts";
import { PAPER, SHARP } from "../../records/params.ts";
import type { CaseRecord } from "../../records/run.ts";
import { STUDY_INFO } from "../../records/studies.ts";
import { inMemoryStore } from "../../store/inMemory.ts";
import { factsOf, madeFacts } from "./facts.ts";
import { plannedStudy } from "../runs/header.ts";
import { plannedCases, runStudy, settingsOf } from "./run.ts";
import type { StudyContext } from "./study.ts";

let opened: Opened;
beforeAll(async () => void (opened = await bundled()));
afterAll(() => leavesNothing(opened));

const context = (over: Partial<StudyContext> = {}): StudyContext => ({
  engine: opened.engine,
  store: inMemoryStore(),
  params: { ...SHARP, anchors: "rules", answerTokens: 8 },
  now: () => performance.now(),
  date: () => "2026-01-02T03:04:05.678Z",
  seed: 7,
  ...over,
});

async function all(
  study: StudyName,
  settings: StudySettings,
  over: Partial<StudyContext> = {},
  have: ReadonlySet<string> = new Set(),
) {
  const cases: CaseRecord[] = [];
  for await (const found of runStudy(study, context(over), settings, have)) cases.push(found);
  return cases;
}
/** What must be the same in every run: all but the times. */
const timeless = (cases: readonly CaseRecord[]) =>
  cases.map(({ id, inputs, note, measures }) => ({
    id,
    inputs,
    note,
    measures: Object.entries(measures).filter(([name]) => !name.endsWith("Milliseconds")),
  }));

describe("a run", () => {
  const SMALL = { sizes: "4, 2", fixed: 2, presets: "sharp", kinds: "template" };

  it("gives its planned cases, the same again, and goes on from those it has", async () => {
    const first = await all("capacity", SMALL);
    expect(first.map(({ id }) => id)).toEqual(plannedCases("capacity", SMALL));
    expect(timeless(await all("capacity", SMALL))).toEqual(timeless(first));
    const [seen, left]: [number[], (number | null)[]] = [[], []];
    const onProgress: StudyContext["onProgress"] = (progress) => {
      seen.push(progress.done);
      left.push(progress.left);
    };
    const rest = await all("capacity", SMALL, { onProgress }, new Set([first[0]!.id]));
    expect(timeless(rest)).toEqual(timeless(first.slice(1)));
    expect([seen[0], seen.at(-1)]).toEqual([1, 2]);
    expect(left.at(-1)).toBe(0);
    expect(left.find((one) => one !== null)).toBeGreaterThan(0);
    expect(await all("capacity", SMALL, {}, new Set(first.map(({ id }) => id)))).toEqual([]);
  });

  it("keeps what came before a cancel", async () => {
    const stop = new AbortController();
    const cases: CaseRecord[] = [];
    const cancelled = async () => {
      for await (const found of runStudy("capacity", context({ signal: stop.signal }), SMALL)) {
        cases.push(found);
        stop.abort();
      }
    };
    await expect(cancelled()).rejects.toThrow(Cancelled);
    expect(cases).toHaveLength(1);
  });

  it.each([
    ["capacity", { size: "3" }, /no setting "size"; it has sizes/],
    ["capacity", { sizes: 3 }, /sizes is 3, expected a string/],
    ["capacity", { sizes: "4, many" }, /sizes is "4, many", expected whole numbers from 1/],
    ["capacity", { presets: "blunt" }, /expected any of paper, sharp/],
    ["steps", { schedules: "40-20" }, /"40-20" is not a schedule/],
    ["deletion", { facts: 8, deleted: 8 }, /some must stay/],
    ["capacity", { sizes: "4", fixed: 8 }, /lower fixed/],
    ["parts", {}, /a text is needed/],
    ["parts", { lengths: "1, 14" }, /expected whole numbers from 2/],
  ] as const)("%s refuses %j", async (study, settings, message) => {
    await expect(all(study, settings)).rejects.toThrow(message);
  });

  it("takes a memory's own facts, the same ones for every size", () => {
    const facts = madeFacts("sentences", 30, 2);
    const of = (count: number) => factsOf({ facts, seed: 4 }, "memory", count);
    expect(of(5)).toEqual(of(20).slice(0, 5));
    expect(new Set(of(30))).toEqual(new Set(facts));
    expect(() => of(31)).toThrow(/it holds 30/);
  });

  it("says in its header what ran", () => {
    const { engine, params, seed, date } = context();
    const settings = settingsOf("gates", { facts: 8 });
    const inputs = { study: "gates", settings, params, seed, app: "abc1234", created: date() } as const;
    expect(plannedStudy(inputs, engine)).toMatchObject({
      id: "gates-20260102T030405Z",
      settings: { facts: 8, betas: STUDY_INFO.gates.settings["betas"]!.value },
      model: `palimpsest-7m@${opened.engine.model.sha256.slice(0, 8)}`,
      backend: "cpu",
      seed: 7,
      app: "abc1234",
    });
  });
});

describe("made facts", () => {
  it.each(["template", "code", "sentences"] as const)(
    "%s: as many as the paper has at a layer, all different",
    (kind) => {
      const facts = madeFacts(kind, 4096, 5);
      expect(new Set(facts.map(({ value }) => value)).size).toBe(4096);
      expect(new Set(facts.map(({ anchor, index }) => `${anchor} (${index})`)).size).toBe(4096);
      expect(() => madeFacts(kind, 4097, 5)).toThrow(
        /4,097 facts of kind \w+ are asked for, there are 4,096/,
      );
      if (kind === "code")
        expect(facts.every(({ anchor, value }) => value.startsWith(`The code of ${anchor} is `))).toBe(true);
    },
  );

  it.each(["template", "sentences"] as const)(
    "%s: distinct, seeded, and a prefix of any longer list",
    (kind) => {
      const facts = madeFacts(kind, 300, 5);
      expect(new Set(facts.map(({ value }) => value)).size).toBe(300);
      expect(new Set(facts.map(({ id }) => id)).size).toBe(300);
      expect(madeFacts(kind, 40, 5)).toEqual(facts.slice(0, 40));
      expect(madeFacts(kind, 40, 6)).not.toEqual(facts.slice(0, 40));
      expect(facts.every(({ value, anchor }) => value.startsWith(anchor))).toBe(true);
    },
  );
});

describe("what studies show", () => {
  it("capacity: with the top-1 read the same facts stay exact as the store grows; the soft read sees more company", async () => {
    const settings = { sizes: "8, 32", fixed: 8, presets: "sharp", kinds: "template" };
    const [small, large] = await all("capacity", settings);
    expect(small!.measures["exact"]).toBeGreaterThan(0.7);
    expect(large!.measures["exact"]).toBe(small!.measures["exact"]);
    expect(large!.measures["exact"]).toBe(large!.measures["encodedExact"]);
    if (!THOROUGH) return;
    // What keys have in common tells none apart: behind a centre they lie wider, whatever they differ in.
    const centred = { params: { ...SHARP, keyCentre: "store" } as const };
    const [, behind] = await all("capacity", settings, centred);
    for (const name of ["runnerUp", "indexOnly", "anchorOnly"]) {
      expect(large!.measures[name]).toBeGreaterThan(0.3);
      expect(behind!.measures[name]).toBeLessThan(large!.measures[name]! - 0.02);
    }
    // Few steps: what is looked at are weights, not words.
    const params = { ...PAPER, steps: 2, refine: 0 };
    const [few, many] = await all("capacity", { ...settings, presets: "paper" }, { params });
    expect(many!.measures["ownWeight"]).toBeLessThan(few!.measures["ownWeight"]!);
    expect(many!.measures["runnerUp"]).toBeGreaterThan(few!.measures["runnerUp"]!);
  });

  it("deletion: deleted facts are gone, no other output changes", async () => {
    const cases = await all("deletion", { facts: 12, deleted: 3, presets: "sharp", layers: "1, 2" });
    const gone = cases.filter(({ inputs }) => inputs["deleted"]);
    expect([cases.length, gone.length]).toEqual([12, 3]);
    expect(gone.every(({ measures }) => measures["exactAfter"] === 0)).toBe(true);
    const kept = cases.filter(({ inputs }) => !inputs["deleted"]);
    expect(kept.every(({ measures }) => measures["changed"] === 0 && measures["exactAfter"] === 1)).toBe(
      true,
    );
  });

  it("gates: a higher θ never opens more, and at θ = 1 nothing is recalled", async () => {
    const cases = await all("gates", { facts: 8, asked: 3, thetas: "0.3, 0.8, 1", betas: "50" });
    const column = (name: string) => cases.map(({ measures }) => measures[name]!);
    for (const name of ["keyOpen", "otherOpen"])
      expect(column(name)).toEqual(column(name).toSorted((a, b) => b - a));
    expect(column("keyOpen")).toEqual([1, 1, 0]);
    expect(column("exact").at(-1)).toBe(0);
  });

  it("steps: more steps never make fewer facts exact where they stop in time", async () => {
    const cases = await all("steps", { schedules: "1+0, 10+5", facts: 6, presets: "sharp" });
    const [few, many] = cases.map(({ measures }) => measures["exact"]!);
    expect(many).toBeGreaterThanOrEqual(few!);
    expect(cases[0]!.measures["stepsTaken"]).toBeLessThanOrEqual(1);
  });

  it("parts: longer parts need fewer vectors, and every fact comes back whichever way it is cut", async () => {
    const text =
      "Ondine carried the heavy basket down to the harbour before the fishermen came in, and left it beside the old wall. " +
      "Tobias wrote to his brother in Ghent that the house was sold, that the garden was let, and that nobody had wept.";
    const settings = { lengths: "6, 14", facts: 2, layers: "4" };
    const cases = await all("parts", settings, { document: makeDocument("two", text) });
    expect(cases.map(({ id }) => id)).toEqual(
      ["6/writer", "6/zero", "14/writer", "14/zero"].map((point) => `parts/${point}`),
    );
    const [short, , long, byAdam] = cases.map(({ measures }) => measures);
    for (const { measures } of cases) expect(measures).toMatchObject({ exact: 1 });
    expect(long!["vectors"]).toBeLessThan(short!["vectors"] as number);
    expect(long!["tokensPerVector"]).toBeGreaterThan(short!["tokensPerVector"] as number);
    // The writer takes no steps, and its vectors point where Adam's do.
    expect(long!["stepsTaken"]).toBeLessThan(byAdam!["stepsTaken"] as number);
    expect(long!["margin"]).toBeGreaterThan(byAdam!["margin"] as number);
    expect(long!["likeFirst"]).toBeNull();
    expect(byAdam!["likeFirst"]).toBeGreaterThan(0.1);
  });
});

describe("forgetting", () => {
  it.runIf(THOROUGH)(
    "finds a sentence that is stored by every attack, and takes a text with three facts of an anchor",
    async () => {
      const names = ["Anna", "Bruno", "Clara", "David"];
      const places = ["mill", "harbour", "chapel", "orchard", "library", "station"];
      const text = names
        .flatMap((name) => places.map((place) => `${name} painted the old ${place}.`))
        .join(" ");
      const document = makeDocument("painters", text);
      // 200 wordings of each key take minutes on a busy machine.
      const have = new Set(["forgetting/paraphrases"]);
      const cases = await all("forgetting", { deleted: 6, controls: 6 }, { document }, have);
      const of = (attack: string) => cases.find(({ inputs }) => inputs["attack"] === attack)!;
      for (const attack of ["prompt", "open-gate", "value-hash"])
        expect(of(attack).measures["control"], attack).toBeGreaterThan(0.9);
      expect(of("writers-guess").measures["control"]).toBeGreaterThan(0.8);
      // The last fact of an anchor leaves no gap.
      expect(of("index-gaps").measures["control"]).toBeGreaterThan(0.5);
      for (const attack of ["value-hash", "index-gaps", "layers"])
        expect(of(attack).measures["auc"], attack).toBe(0.5);
      expect(of("retained").measures).toMatchObject({ changed: 0, gaps: 0 });
      await expect(
        all("forgetting", { deleted: 6 }, { document: makeDocument("short", "Anna painted the mill.") }),
      ).rejects.toThrow("choose a longer text");
    },
    240_000,
  );
});
