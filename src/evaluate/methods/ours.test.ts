import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { THOROUGH } from "../../lib/testing/thorough.ts";
import { type Opened } from "../../engine/testing/models.ts";
import { bundled, leavesNothing } from "../../engine/testing/useBundled.ts";
import { BY_ANCHORS, HOOK_MS, STORY } from "../../flow/testing/runs.ts";
import type { Answer } from "../../records/answer.ts";
import { SHARP, type MethodParams } from "../../records/params.ts";
import { attribution, stagesOf } from "../attribution.ts";
import type { Store } from "../../store/port.ts";
import { additionsTo } from "../../store/additions.ts";
import { inMemoryStore } from "../../store/inMemory.ts";
import { Shelf } from "../shelf.ts";
import { methodContext } from "../testing/words.ts";
import { NO_EVIDENCE } from "../unanswered.ts";
import type { Asked, MethodContext } from "./method.ts";
import { chosenMethods } from "./registry.ts";
import type { SampleRecord } from "../../records/evaluation.ts";

const RULES: MethodParams = { ...SHARP, anchors: "rules", answerTokens: 8 };
const TEXT = STORY.join(" ");
const WHERE: Asked = { question: "Where is Mary?", evidence: ["Mary journeyed to the bathroom."] };

let opened: Opened;
beforeAll(async () => {
  opened = await bundled();
  usual = methodContext(opened.engine, { params: RULES });
}, HOOK_MS);
afterAll(async () => {
  await usual.shelf.clear();
  leavesNothing(opened);
});

/** The shelf is shared, so that the layers are probed once and the story is memorised once. */
const contextOf = (params: MethodParams): MethodContext => ({ ...usual, params });
let usual: MethodContext;

/** What a method answers, and where the evidence was last seen. */
async function answered(name: string, text: string, asked: Asked, gold: string, context = usual) {
  const [{ method, option }] = chosenMethods([name]) as [ReturnType<typeof chosenMethods>[number]];
  const reply = await (await method.prepare(text, context, option)).answer(asked);
  const right = reply.answer.toLowerCase().includes(gold);
  return { reply, right, stages: stagesOf(reply, { ...asked, gold: [gold] }, right) };
}

describe(
  "a question of our method",
  () => {
    it("that is answered fails nowhere, and its prompt is kept", async () => {
      const { right, stages, reply } = await answered("ours", TEXT, WHERE, "bathroom");
      expect(right).toBe(true);
      expect(stages).toEqual({ stored: true, routed: true, recalled: true, failed: null });
      expect(reply.prompt).toContain("Mary journeyed to the bathroom.");
      expect(reply.promptTokens).toBeGreaterThan(10);
    });

    it("fails at extraction where the filter drops its evidence, and the oracle of extraction answers it", async () => {
      const strict = contextOf({ ...RULES, candidateFilter: "strict" });
      const asked = {
        question: "What is north of the kitchen?",
        evidence: ["The office is north of the kitchen."],
      };
      const text = `${TEXT} The office is north of the kitchen.`;
      const ours = await answered("ours", text, asked, "office", strict);
      expect(ours.stages?.failed).toBe("extraction");
      expect((await answered("ours-extracted", text, asked, "office", strict)).right).toBe(true);
    });

    it("fails at routing where the question names another, and the oracle of routing recalls the evidence", async () => {
      const asked = { question: "Where is Mary?", evidence: ["John went to the hallway."] };
      const byAnchors = contextOf({ ...RULES, ...BY_ANCHORS });
      const ours = await answered("ours", TEXT, asked, "hallway", byAnchors);
      expect(ours.stages).toMatchObject({ stored: true, routed: false, failed: "routing" });
      const oracle = await answered("ours-routed", TEXT, asked, "hallway", byAnchors);
      expect(oracle.stages).toMatchObject({ routed: true, recalled: true });
    });

    it.runIf(THOROUGH)(
      "fails at reconstruction where one step must do, and the stored text is answered from",
      async () => {
        const hasty = contextOf({
          ...RULES,
          steps: 1,
          refine: 0,
          start: "zero",
          learningRate: 0.001,
          partTokens: null,
        });
        const ours = await answered("ours", TEXT, WHERE, "bathroom", hasty);
        expect(ours.stages).toMatchObject({
          stored: true,
          routed: true,
          recalled: false,
          failed: "reconstruction",
        });
        expect((await answered("ours-stored", TEXT, WHERE, "bathroom", hasty)).right).toBe(true);
      },
    );

    it("fails at the answer where all was recalled and something else is asked for", async () => {
      const ours = await answered("ours", TEXT, WHERE, "attic");
      expect(ours.stages).toMatchObject({ recalled: true, failed: "answer" });
    });

    it("is asked with parameters of its own beside the run's", async () => {
      const { trace } = (await answered("ours:routing=fused+layers=1", TEXT, WHERE, "bathroom")).reply;
      expect(trace!.answer!.settings.routing).toBe("fused");
      const usually = (await answered("ours", TEXT, WHERE, "bathroom")).reply.trace!.answer!;
      expect(usually.settings.routing).toBe("lexical");
      const layers = ({ recalled }: Answer) => new Set(recalled.map(({ layer }) => layer)).size;
      expect([layers(trace!.answer!), layers(usually)]).toEqual([1, 3]);
    });

    it("is unattributed where no evidence is known", async () => {
      const { stages } = await answered("ours", TEXT, { question: "Where is Mary?", evidence: [] }, "attic");
      expect(stages).toBeNull();
    });

    it("is judged by the text that the memory was made of, as its oracles have it", async () => {
      const ours = await answered("ours", TEXT, WHERE, "attic");
      expect(ours.stages).toEqual({ stored: true, routed: true, recalled: true, failed: "answer" });
      const routed = await answered("ours-routed", TEXT, WHERE, "bathroom");
      expect(routed.stages).toMatchObject({ routed: true, recalled: true });
      expect((await answered("ours-stored", TEXT, WHERE, "bathroom")).right).toBe(true);
    });

    it("has no answer of an oracle that is given no evidence", async () => {
      for (const name of ["ours-routed", "ours-extracted"]) {
        const { reply } = await answered(name, TEXT, { question: "Where is Mary?", evidence: [] }, "attic");
        expect(reply).toMatchObject({ answer: "", error: NO_EVIDENCE });
      }
    });

    it("fails at extraction over a text without a fact", async () => {
      const { reply, stages } = await answered("ours", "it was so.", WHERE, "bathroom");
      expect(reply).toMatchObject({ raw: null, answer: "", error: null });
      expect(stages).toEqual({ stored: false, routed: false, recalled: false, failed: "extraction" });
    });

    it("is asked in another prompt over what was recalled", async () => {
      const context = {
        ...usual,
        params: { ...RULES, ...BY_ANCHORS },
        own: false,
        turn: (passages: readonly string[]) => passages.join("|"),
      };
      const { reply } = await answered("ours", TEXT, WHERE, "bathroom", context);
      expect(reply.prompt).toBe("[Mary] Mary moved to the garden.|[Mary] Mary journeyed to the bathroom.");
    });
  },
  HOOK_MS,
);

describe(
  "text by our routing",
  () => {
    it("takes as many tokens as our facts have, or the chunks that hold them", async () => {
      const [equal, ours] = [
        await answered("rag-equal", TEXT, WHERE, "bathroom"),
        await answered("ours", TEXT, WHERE, "bathroom"),
      ];
      expect(equal.reply.promptTokens).toBeLessThan(90);
      expect(equal.reply.promptTokens).toBeLessThanOrEqual(ours.reply.promptTokens);
      expect(equal.reply.prompt).toContain("Mary journeyed to the bathroom.");
      expect(equal.reply.prompt).not.toContain("Daniel");
      const chunked = { ...usual, budgets: { ...usual.budgets, chunk: 8, placed: 2 } };
      const anchors = await answered("rag-anchors", TEXT, WHERE, "bathroom", chunked);
      expect(anchors.reply.prompt).toContain("Mary journeyed");
      expect(anchors.reply.prompt).not.toContain("Daniel");
    });
  },
  HOOK_MS,
);

it("attribution adds up, and says how often the oracle bears it out", () => {
  const sample = (
    index: number,
    method: string,
    right: number,
    failed: "routing" | "answer" | null,
  ): SampleRecord => ({
    kind: "sample",
    id: `${index} ${method}`,
    benchmark: "b",
    task: "t",
    length: "0k",
    depth: null,
    index,
    method,
    variant: "whole",
    question: "",
    gold: [],
    evidence: [],
    labels: null,
    textHash: "",
    cluster: "",
    characters: 0,
    promptHash: null,
    prompt: null,
    raw: null,
    answer: "",
    scores: { s: right },
    stages:
      method === "ours" && index < 4
        ? { stored: true, routed: failed !== "routing", recalled: failed !== "routing", failed }
        : null,
    kept: { tokens: 0, bytes: 0 },
    promptTokens: 0,
    milliseconds: { prepare: 0, answer: 0 },
    error: null,
  });
  const own = [
    sample(0, "ours", 1, null),
    sample(1, "ours", 0, "routing"),
    sample(2, "ours", 0, "routing"),
    sample(3, "ours", 0, "answer"),
    sample(4, "ours", 0, null),
  ];
  const oracles = [
    sample(1, "ours-routed", 1, null),
    sample(2, "ours-routed", 0, null),
    sample(3, "ours-stored", 0, null),
  ];
  const rows = attribution(own, [...own, ...oracles], ({ scores }) => scores["s"] === 1);
  expect(
    rows.map(({ outcome, samples, checked, confirmed }) => [outcome, samples, checked, confirmed]),
  ).toEqual([
    ["none", 1, 0, 0],
    ["extraction", 0, 0, 0],
    ["routing", 2, 2, 1],
    ["reconstruction", 0, 0, 0],
    ["answer", 1, 1, 1],
    ["unattributed", 1, 0, 0],
  ]);
});

it("a case adds its facts to the memory of a background, which is made once and kept as it was", async () => {
  const names: string[] = [];
  const stores = new Map<string, Store>();
  const shelf = new Shelf({
    ...{ engine: opened.engine, now: () => performance.now(), date: () => "2026-01-01T00:00:00Z" },
    additionsTo,
    newStore(name) {
      if (name === undefined) return inMemoryStore();
      names.push(name);
      const store = stores.get(name) ?? inMemoryStore();
      stores.set(name, store);
      return store;
    },
  });
  const background = ["Anna walked home over the old bridge.", "The old clock struck nine."];
  const ask = async (own: string, gold: string, params = RULES) => {
    await shelf.clear();
    const grown = { background, own };
    const context = { ...usual, shelf, grown, params };
    return answered(
      "ours",
      `${background.join(" ")} ${own}`,
      { ...WHERE, evidence: own === "" ? [] : [own] },
      gold,
      context,
    );
  };
  for (const place of ["bathroom", "garden"]) {
    const { right, reply } = await ask(`Mary journeyed to the ${place}.`, place);
    expect(right).toBe(true);
    const stored = reply.trace!.stored.map(({ value }) => value);
    expect(stored.toSorted()).toEqual([...background, `Mary journeyed to the ${place}.`].toSorted());
  }
  // Another limit of the answer or another gate asks the same memory, routing by vectors one that has them.
  for (const other of [{ answerTokens: 8 }, { theta: 0.45 }, { routing: "dense" as const }]) {
    const { right } = await ask("Mary journeyed to the garden.", "garden", { ...RULES, ...other });
    expect(right).toBe(true);
  }
  // The shorter background, then the whole one, and both with vectors; the later cases make neither.
  expect(names).toHaveLength(4);
  const [whole, shorter] = await Promise.all(names.map((name) => stores.get(name)!.load()));
  expect([shorter, whole].map((memory) => memory!.sources.length)).toEqual([1, 2]);
  const { stages } = await ask("", "bathroom");
  expect(stages).toBeNull();
  // Under the paper's retention depth a case replaces facts in a copy.
  const paper = { ...RULES, depthOver: "memory" as const, depth: 1 };
  for (const place of ["garden", "kitchen"]) {
    const { reply } = await ask(`Anna journeyed to the ${place}.`, place, paper);
    const stored = reply.trace!.stored.map(({ value }) => value);
    expect(stored.toSorted()).toEqual([`Anna journeyed to the ${place}.`, background[1]!].toSorted());
  }
  await shelf.clear();
});
