/** @file Single sentences in novels at set depths: an association probe after NoLiMa, and paraphrased needles. */

import { present } from "../../lib/assert.ts";
import { fill } from "../../lib/format.ts";
import type { CasePlace } from "../../records/evaluation.ts";
import {
  type Benchmark,
  type BenchmarkOptions,
  chosen,
  drawing,
  type MadeCase,
  type OpenBenchmark,
  pick,
  type PlannedCase,
  printOf,
  tokensOf,
  type UserFile,
} from "./benchmark.ts";
import { readBooks, background } from "./backgrounds.ts";
import { nolimaTurn, plainTurn } from "./prompts.ts";

const LENGTHS = ["1k", "4k", "16k", "32k", "64k", "128k", "256k", "2M"];

type Needle = ReturnType<typeof paraphrase>;

function hiddenAt(
  place: CasePlace & { readonly depth: number },
  books: readonly UserFile[],
  needle: () => Needle,
  { seed, gpt2, backgrounds }: BenchmarkOptions,
): PlannedCase {
  const { benchmark, length, depth, index } = place;
  return {
    place,
    make(): MadeCase {
      const { sentence, ...asked } = needle();
      const source = backgrounds > 0 ? index % backgrounds : index;
      const room = Math.max(0, tokensOf(length, 1000) - gpt2.count(sentence));
      const between = background(books, room, gpt2, drawing(seed, benchmark, length, source));
      const at = Math.round(depth * between.length);
      const text = [...between.slice(0, at), sentence, ...between.slice(at)].join("\n");
      return {
        text,
        evidence: [sentence],
        labels: null,
        cluster: `${length} background ${source}`,
        ...asked,
      };
    },
  };
}

const hidden = (books: readonly UserFile[], { gpt2, backgrounds }: BenchmarkOptions) => ({
  lengthsBy: gpt2.name,
  backgrounds,
  books: printOf(books),
});

interface ProbePair {
  readonly needle: string;
  readonly questions: Readonly<Record<string, string>>;
  readonly character_set: readonly string[];
  readonly tests?: Readonly<Record<string, { readonly input_args: readonly string[] }>>;
}

/** Number of possible depths of the probe; each sample draws one. */
const PROBE_DEPTHS = 26;

export const probe: Benchmark = {
  title: "Association probe",
  about:
    "Needles whose questions share few words with them: direct, and by one or two steps of common knowledge.",
  tasks: ["direct", "onehop", "twohop"],
  lengths: LENGTHS,
  async open(options): Promise<OpenBenchmark> {
    const [own] = options.files;
    const parsed = JSON.parse(own?.text ?? (await options.data.text("probe/association_probe.json"))) as
      | readonly ProbePair[]
      | { readonly pairs: readonly ProbePair[] };
    const pairs = "pairs" in parsed ? parsed.pairs : parsed;
    const kinds = [...new Set(pairs.flatMap(({ questions }) => Object.keys(questions)))];
    const { tasks, lengths } = chosen(options, kinds, "4k");
    const books = await readBooks(options);
    const cases = lengths.flatMap((length) =>
      tasks.flatMap((task) => {
        const asking = pairs.filter(({ questions }) => questions[task] !== undefined).flatMap(filled);
        return Array.from({ length: Math.min(options.samples, asking.length) }, (_, index) => {
          const depth = pick(drawing(options.seed, "depth", task, index), PROBE_DEPTHS) / (PROBE_DEPTHS - 1);
          const needle = () => needleOf(asking[index]!, task, drawing(options.seed, "character", index));
          return hiddenAt({ benchmark: "probe", task, length, depth, index }, books, needle, options);
        });
      }),
    );
    return {
      tasks,
      lengths,
      cases,
      primary: "nolima-contains",
      answerTokens: 32,
      turn: () => nolimaTurn,
      settings: {
        needles: own ? `${own.name}, ${printOf([own])}` : "our own association probe",
        ...hidden(books, options),
      },
    };
  },
};

/** A pair once for each of its tests, the slots {1}, {2} filled. */
const filled = (pair: ProbePair): ProbePair[] =>
  Object.values(pair.tests ?? { only: { input_args: [] } }).map(({ input_args }) => {
    const slot = (text: string): string =>
      text.replace(/\{(\d+)\}/g, (whole, n) => input_args[Number(n) - 1] ?? whole);
    const questions = Object.fromEntries(
      Object.entries(pair.questions).map(([kind, text]) => [kind, slot(text)]),
    );
    return { ...pair, needle: slot(pair.needle).trim(), questions };
  });

function needleOf({ needle, questions, character_set }: ProbePair, kind: string, random: () => number) {
  const name = character_set[pick(random, character_set.length)]!;
  const asked = present(questions[kind], () => `evaluate: a needle has no question of kind "${kind}"`);
  const question = asked.replaceAll("{CHAR}", name);
  const others = character_set.filter((other) => other !== name);
  return { sentence: fill(needle, { CHAR: name }), question, gold: [name], others };
}

const DEPTHS = [0, 0.25, 0.5, 0.75, 1];

export const depth: Benchmark = {
  title: "Needle depth",
  about: "A fact in one of several wordings at five places of a novel, asked for in other words than it has.",
  tasks: ["paraphrase"],
  lengths: LENGTHS,
  async open(options): Promise<OpenBenchmark> {
    const { tasks, lengths } = chosen(options, ["paraphrase"], "4k");
    const books = await readBooks(options);
    const needles = JSON.parse(await options.data.text("probe/paraphrases.json")) as readonly Paraphrased[];
    const cases = lengths.flatMap((length) =>
      Array.from({ length: options.samples }, (_, index) =>
        DEPTHS.map((depth) => {
          const place = { benchmark: "depth", task: "paraphrase", length, depth, index };
          return hiddenAt(place, books, () => paraphrase(needles, index, depth), options);
        }),
      ).flat(),
    );
    return {
      tasks,
      lengths,
      cases,
      primary: "ruler-part",
      answerTokens: 32,
      turn: () => plainTurn,
      settings: { needles: "our own paraphrases", ...hidden(books, options) },
    };
  },
};

interface Paraphrased {
  readonly wordings: readonly string[];
  readonly question: string;
  readonly gold: string;
}

/** Each depth has another wording, so that none is tied to a place over all samples. */
function paraphrase(needles: readonly Paraphrased[], index: number, at: number) {
  const { wordings, question, gold } = needles[index % needles.length]!;
  const sentence = wordings[(index + DEPTHS.indexOf(at)) % wordings.length]!;
  const others = needles.map((needle) => needle.gold).filter((other) => other !== gold);
  return { sentence, question, gold: [gold], others };
}
