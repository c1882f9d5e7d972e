/**
 * @file Finds phrases that the rules of writing refuse (CONTRIBUTING.md) in documents, strings and comments.
 *
 *     npx tsx tools/english.ts              counts per folder
 *     npx tsx tools/english.ts src/ui docs  every place below these paths
 */

import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

/** A phrase to avoid, with a text that it matches and one that it does not. */
export interface Habit {
  readonly name: string;
  readonly pattern: RegExp;
  readonly instead: string;
  readonly bad: string;
  readonly good: string;
}

/** Units that "a" is sometimes used with in place of "per". */
const PER =
  "weight|token|fact|vector|second|minute|hour|part|step|layer|sentence|question|document|row|value|key|page|case|sample|batch|element|head|block|candidate|pixel|character|word";

export const HABITS: readonly Habit[] = [
  {
    name: "says",
    pattern: /(?<!\bmodel )\bsays\b|\b(?:said of|said by|(?:is|are|was|were|be|been|being) told)\b/i,
    instead: "reports, returns, shows, contains, states",
    bad: "the header says how long it is",
    good: "the header contains the length; the model says: Paris",
  },
  {
    name: "tells",
    pattern: /\btells\b|\b(?:tell|told) of\b/i,
    instead: "reports, notifies, distinguishes",
    bad: "tells of every change",
    good: "reports every change",
  },
  {
    name: "what as a noun",
    pattern:
      /(?:^|[.!?] )What (?!is .*\?|are .*\?)[^?]*$|\b(?:of|for|from|with|by|after|before|beside|without|than) what\b/,
    instead: "name the thing",
    bad: "a list of what was dropped",
    good: "a list of the dropped files; it shows what the model recalls",
  },
  {
    name: "where for if",
    pattern:
      /\bwhere (?:there (?:is|are|was|were)\b|(?:it|one|they) (?:is|are|has|have|was|were|can|cannot|lacks?|does|do|may)\b(?! (?:kept|stored|used|defined|shown)\b)|none\b|nothing\b|nobody\b|no one\b|both\b)/i,
    instead: "if …, otherwise …",
    bad: "undefined where there is none",
    good: "undefined if there is no adapter; shows where it is stored",
  },
  {
    name: "else at the end",
    pattern: /, else (?!if\b)/,
    instead: "otherwise",
    bad: "WebGPU if available, else wasm",
    good: "WebGPU if available, otherwise wasm",
  },
  {
    name: "stands",
    pattern: /\b(?:stands|stood)\b(?! for\b| out\b)/i,
    instead: "is, is shown, is stored",
    bad: "the result stands here",
    good: "m stands for the mean; the result is shown here",
  },
  {
    name: "lies",
    pattern: /\blies\b/i,
    instead: "is, is stored",
    bad: "the model lies on the disk",
    good: "the model is stored on the disk",
  },
  {
    name: "beside",
    pattern: /\bbeside\b/i,
    instead: "next to, with, in addition to",
    bad: "the file beside it",
    good: "the file next to it; besides the keys",
  },
  {
    name: "is no",
    pattern: /(?<!\bthere )\b(?:is|are|was|were) no (?!longer\b|more\b|better\b|worse\b)\w/i,
    instead: "is not a",
    bad: '"x" is no number',
    good: '"x" is not a number; there is no number; it is no longer used',
  },
  {
    name: "is none",
    pattern: /(?<!\bthere )\b(?:is|are|was|were|be) none\b/i,
    instead: "is missing, is not available, there is no X",
    bad: 'the id "x" is none',
    good: "null if there is none; none of them is used",
  },
  {
    name: "of its own",
    pattern: /\bof (?:its|their|his|her|our|my|your|one's) own\b/i,
    instead: "separate, custom, or leave it out",
    bad: "parameters of their own",
    good: "custom parameters; its own parameters",
  },
  { name: "anew", pattern: /\banew\b/i, instead: "again", bad: "encodes it anew", good: "encodes it again" },
  {
    name: "goes by",
    pattern: /\b(?:goes|go|went|gone|going) by\b/i,
    instead: "depends on, uses, is named",
    bad: "the order goes by the key",
    good: "the order depends on the key",
  },
  {
    name: "made of",
    pattern: /\bmade of\b/i,
    instead: "consists of, contains, built from",
    bad: "what a row is made of",
    good: "a row consists of cells",
  },
  {
    name: "borne out",
    pattern: /\bborne out\b/i,
    instead: "confirmed, measured",
    bad: "it was borne out",
    good: "measurements confirm it",
  },
  {
    name: "all the same",
    pattern: /\ball the same\b/i,
    instead: "anyway, still, equal",
    bad: "it is kept all the same",
    good: "it is kept anyway",
  },
  {
    name: "whoever",
    pattern: /\b(?:who|whom)ever\b/i,
    instead: "the caller, any",
    bad: "whoever asks",
    good: "the caller",
  },
  {
    name: "for good",
    pattern: /\bfor good\b(?! (?:reason|measure))/i,
    instead: "permanently",
    bad: "deletes it for good",
    good: "deletes it permanently",
  },
  {
    name: "a for per",
    pattern: new RegExp(
      String.raw`\b(?:bytes?|bits?|tokens|steps|times|ms|seconds?|minutes?|hours?|facts|vectors|parts|GB|MB|KB|flops|operations|numbers) an? (?:${PER})\b`,
      "i",
    ),
    instead: "per",
    bad: "1.1 bytes a weight",
    good: "1.1 bytes per weight",
  },
  {
    name: "nobody",
    pattern: /\bnobody\b/i,
    instead: "no caller, no file, not …",
    bad: "nobody waits for it",
    good: "no caller waits for it",
  },
];

const ROOT = join(import.meta.dirname, "..");

/** A piece of prose: from a document, a string of the code, or a comment. */
export interface Prose {
  readonly kind: "document" | "string" | "comment";
  readonly line: number;
  readonly text: string;
}

/** The paragraphs of a Markdown document, without code. */
export function proseOfDocument(text: string): Prose[] {
  const plain = text
    .replace(/^```[\s\S]*?^```/gm, (code) => code.replace(/[^\n]/g, ""))
    .replace(/`[^`\n]*`/g, "`…`");
  let line = 1;
  return plain.split(/(\n\s*\n|\n(?=[-*|#]|\d+\.))/).flatMap((part): Prose[] => {
    const at = line;
    line += part.split("\n").length - 1;
    const words = part.replace(/\s+/g, " ").trim();
    return words ? [{ kind: "document", line: at, text: words }] : [];
  });
}

/** The strings, template texts, texts of JSX and comments of a TypeScript file. */
export function proseOfCode(name: string, text: string): Prose[] {
  const file = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true);
  const found: Prose[] = [];
  const lineAt = (position: number): number => file.getLineAndCharacterOfPosition(position).line + 1;
  const add = (kind: Prose["kind"], position: number, words: string): void => {
    const plain = words.replace(/\s+/g, " ").trim();
    if (plain.includes(" ")) found.push({ kind, line: lineAt(position), text: plain });
  };
  const comments = new Map<number, number>();
  const visit = (node: ts.Node): void => {
    for (const range of ts.getLeadingCommentRanges(text, node.getFullStart()) ?? [])
      comments.set(range.pos, range.end);
    for (const range of ts.getTrailingCommentRanges(text, node.getEnd()) ?? [])
      comments.set(range.pos, range.end);
    if (ts.isImportDeclaration(node) || ts.isLiteralTypeNode(node)) return;
    if (ts.isStringLiteralLike(node) || ts.isJsxText(node)) add("string", node.getStart(), node.text);
    if (ts.isTemplateExpression(node))
      add(
        "string",
        node.getStart(),
        [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join("…"),
      );
    ts.forEachChild(node, visit);
    if (ts.isSourceFile(node)) visit(node.endOfFileToken);
  };
  visit(file);
  // Lines that start with // one after the other are one comment.
  let block: { readonly start: number; readonly end: number; readonly words: string } | undefined;
  const flush = (): void => void (block && add("comment", block.start, block.words));
  for (const [start, end] of [...comments].sort(([a], [b]) => a - b)) {
    const raw = text.slice(start, end);
    const words = raw
      .replace(/^\/\*+|\*+\/$|^\/\/+/g, "")
      .replace(/^\s*\* ?/gm, "")
      .replace(/`[^`\n]*`/g, "`…`");
    const follows =
      block &&
      raw.startsWith("//") &&
      /^\s*$/.test(text.slice(block.end, start)) &&
      lineAt(start) === lineAt(block.end) + 1;
    if (block && follows) block = { start: block.start, end, words: `${block.words} ${words}` };
    else {
      flush();
      block = { start, end, words };
    }
  }
  flush();
  return found;
}

/** Files whose strings are data: words, questions and passages that must stay as they are. */
const DATA =
  /^src\/(?:engine\/calibration|extract\/words|extract\/questions|ingest\/words|flow\/layerProbe|evaluate\/benchmarks\/prompts)\.ts$/;

/** A place that has a habit. */
export interface Hit extends Prose {
  readonly file: string;
  readonly habit: Habit;
}

/** The habits in `text`, sentence by sentence. */
export function habitsIn(text: string): { readonly habit: Habit; readonly sentence: string }[] {
  const sentences = text.split(/(?<=[.!?:;]["”)]?) +(?=\S)/);
  return sentences.flatMap((sentence) =>
    HABITS.filter(({ pattern }) => pattern.test(sentence)).map((habit) => ({ habit, sentence })),
  );
}

/** Files with prose: documents, and the code of src, tools and workers without its tests. */
export function proseFiles(): string[] {
  const below = (folder: string): string[] =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" }).map((name) => join(folder, name));
  return [
    ...readdirSync(ROOT).filter((name) => name.endsWith(".md")),
    ...below("docs").filter((name) => name.endsWith(".md") && !name.startsWith("docs/runs")),
    ...["src", "workers", "tools"]
      .flatMap(below)
      .filter((name) => /\.tsx?$/.test(name) && !/tools\/english/.test(name)),
  ].sort();
}

/** Every place in `file` (relative to the root) that has a habit. */
export function hitsIn(file: string): Hit[] {
  const text = readFileSync(join(ROOT, file), "utf8");
  const prose = file.endsWith(".md") ? proseOfDocument(text) : proseOfCode(file, text);
  const checked = DATA.test(file) ? prose.filter(({ kind }) => kind !== "string") : prose;
  return checked.flatMap((one) =>
    habitsIn(one.text).map(({ habit, sentence }) => ({ ...one, file, habit, text: sentence })),
  );
}

/** Prints the places below `paths`, or counts per folder if there are no paths. */
function report(paths: readonly string[]): void {
  const inside = paths.map((path) => relative(ROOT, join(process.cwd(), path)));
  const files = proseFiles();
  const chosen = files.filter(
    (file) => !paths.length || inside.some((path) => `${file}/`.startsWith(`${path}/`)),
  );
  const hits = chosen.flatMap(hitsIn);
  if (paths.length > 0) {
    for (const { file, line, habit, text } of hits) console.log(`${file}:${line} [${habit.name}] ${text}`);
    console.log(`${hits.length} places`);
    return;
  }
  const folderOf = (file: string): string =>
    (/\.test\.|\/testing\//.test(file) ? "tests of " : "") +
    file
      .split("/")
      .slice(0, file.startsWith("src/ui/") ? 3 : file.startsWith("src/") ? 2 : 1)
      .join("/");
  const counts = new Map<string, Record<Prose["kind"], number>>();
  for (const { file, kind } of hits) {
    const folder = folderOf(file);
    const row = counts.get(folder) ?? { document: 0, string: 0, comment: 0 };
    row[kind] += 1;
    counts.set(folder, row);
  }
  console.table(Object.fromEntries([...counts].sort()));
  console.log(`${hits.length} places in all`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) report(process.argv.slice(2));
