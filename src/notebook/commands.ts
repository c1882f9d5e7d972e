/** @file The run of a cell as a command line of this repository, and as a Python script that reads the exported file. */

import { differences } from "../records/parameterText.ts";
import type { EmbedderChoice } from "../records/embedder.ts";
import { HELPERS } from "../records/evaluation.ts";
import { isImported, type Cell, type Notebook } from "../records/notebook.ts";
import { SHARP, type MethodParams, type ParameterName, PARAMETER_NAMES } from "../records/params.ts";
import { STUDY_INFO } from "../records/studies.ts";
import { embedderCellFor, modelCellFor, sourceCellsFor } from "./kinds.ts";

/** The memory as the Memory cell exports it. */
const MEMORY_FILE = "memory.zip";

type Option = readonly [name: string, value: string];

/**
 * A line for the shell that makes the run of `cell` again, after comments about the files that it needs.
 * @param stored parameters of the notebook's memory
 * @returns null if no command does the same
 */
export function commandOf(notebook: Notebook, cell: Cell, stored: MethodParams = SHARP): string | null {
  const texts = sourceCellsFor(notebook, cell.id).flatMap(({ input }) => input.documents);
  const model = modelOptions(notebook, cell);
  const text = texts.map(({ title }): Option => ["text", title]);
  const embedder = modelOption("embedder", embedderCellFor(notebook, cell.id)?.input.embedder);
  switch (cell.kind) {
    case "memorize": {
      const { params } = cell.input;
      const options = [...model, ...text, ...paramsOptions(params), ["store", MEMORY_FILE] as const];
      return line("recall", [], [...options, ...embedder], ["TEXT"]);
    }
    case "ask":
    case "questions": {
      const asked =
        cell.kind === "ask"
          ? [cell.output?.history[0]?.answer.question ?? cell.input.question]
          : (cell.output?.runs[0]?.questions.map(({ ask }) => ask) ?? []);
      const questions = asked.filter((one) => one.trim() !== "").map((one): Option => ["ask", one]);
      const changes = setOptions(cell.input.params ?? {});
      const options = [...model, ["store", MEMORY_FILE] as const, ...questions, ...changes, ...embedder];
      return questions.length === 0 ? null : line("recall", [], options, ["MEMORY"]);
    }
    case "experiment": {
      const { study, settings } = cell.input;
      const { needsText, settings: known } = STUDY_INFO[study];
      // The precision is not an option of this command.
      const options = [
        ...model.filter(([name]) => name !== "precision"),
        ...(needsText ? text.slice(0, 1) : []),
        ...Object.entries({ ...known, seed: { value: 1 } }).map(([name, { value }]): Option => [
          name,
          String(settings[name] ?? value),
        ]),
        ...paramsOptions(stored),
      ];
      return line("study", [study], options, needsText ? ["TEXT"] : []);
    }
    case "benchmark": {
      if (cell.output && isImported(cell.output)) return null;
      const { helpers, params, files, ...input } = cell.output?.asked ?? cell.input;
      const { benchmark, tasks, lengths, methods, samples, prompt, variants, seed } = input;
      const lists = Object.entries({ tasks, lengths, methods, variants });
      const options = [
        ["benchmark", benchmark] as const,
        ...lists.flatMap(([name, list]): Option[] => (list.length > 0 ? [[name, list.join(",")]] : [])),
        ...Object.entries({ n: samples, prompt, seed }).map(([name, value]): Option => [name, String(value)]),
        ...files.map((file): Option => ["file", file]),
        ...(params === "memory" ? paramsOptions(stored) : [["preset", params] as const]),
        ...model,
        ...embedder,
        ...HELPERS.flatMap((helper) => modelOption(helper, helpers?.[helper])),
        ["out", `out/${benchmark}`] as const,
      ];
      return line("evaluate", [], options, files.length > 0 ? ["TEXT"] : []);
    }
    default:
      return null;
  }
}

const NOTES = {
  TEXT: "The files named here are looked for in the folder that this is run in.",
  MEMORY: `${MEMORY_FILE} is the memory, as the menu of the Memory cell exports it.`,
} as const;

function line(
  command: string,
  words: readonly string[],
  options: readonly Option[],
  notes: readonly (keyof typeof NOTES)[],
): string {
  const hub = options.flatMap(([name, value]) => (name === "model" && value !== BUNDLED ? [value] : []));
  const comments = [
    ...notes.map((note) => NOTES[note]),
    ...hub.map((folder) => `${folder} is a folder with the files of that model.`),
  ];
  const parts = [...words, ...options.map(([name, value]) => `--${name}=${quoted(value)}`)];
  return [...comments.map((one) => `# ${one}`), `npm run ${command} -- ${parts.join(" ")}`, ""].join("\n");
}

/** As one word of a POSIX shell. */
const quoted = (value: string): string =>
  /^[\w.,:/@=+-]+$/.test(value) ? value : `'${value.replaceAll("'", `'\\''`)}'`;

const BUNDLED = "public/models/palimpsest-7m";

function modelOptions(notebook: Notebook, { id }: Cell): Option[] {
  const { source, backend, precision } = modelCellFor(notebook, id)?.input ?? { source: { kind: "bundled" } };
  const folder =
    source.kind === "bundled"
      ? BUNDLED
      : `models/${source.kind === "hub" ? source.repo.split("/").at(-1) : source.name}`;
  return [
    ["model", folder],
    ...(backend === "webgpu" ? [["backend", backend] as const] : []),
    ...(precision ? [["precision", precision] as const] : []),
  ];
}

function modelOption(name: string, choice: EmbedderChoice | undefined): Option[] {
  if (!choice) return [];
  const { from, dtype } = choice;
  return [
    [name, from.kind === "hub" ? `hub:${from.repo}` : `models/${from.name}`],
    [`${name}-dtype`, dtype],
  ];
}

const paramsOptions = (params: MethodParams): Option[] => [
  ["preset", params.preset],
  ...setOptions(Object.fromEntries(differences(params).map((name) => [name, params[name]]))),
];

const setOptions = (changes: Partial<Record<ParameterName, unknown>>): Option[] =>
  PARAMETER_NAMES.filter((name) => changes[name] !== undefined).map((name) => [
    "set",
    `${name}=${changes[name] === null ? "none" : typeof changes[name] === "boolean" ? (changes[name] ? "on" : "off") : String(changes[name])}`,
  ]);

/** A Python script that reads the exported file of the cell's run; null for a cell whose run leaves none. */
export function pythonOf({ kind, output }: Cell): string | null {
  if (kind === "experiment" || kind === "benchmark") return output && readRun;
  return kind === "memorize" || kind === "store" || kind === "ask" || kind === "questions"
    ? readMemory
    : null;
}

const readRun = `# python3 SCRIPT FILE, with the file that “Save the run” of the cell saves: a header, then a record per line.
import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    header, *records = map(json.loads, file)
print(header["kind"], header["model"], header["created"])
for record in records:
    print(record["id"], record.get("scores") or record.get("measures"))
`;

const readMemory = `# python3 SCRIPT FILE in the folder of Palimpsest, with a memory that the menu of the Memory cell exports.
import sys

sys.path.insert(0, "tools")
from read_memory import name_of, nearest, read_memory

manifest, entries = read_memory(sys.argv[1])
print(len(entries), "vectors of", manifest["memory"]["model"]["name"])
for entry, (other, cosine) in zip(entries, nearest(entries)):
    # entry["key"] and entry["residual"] are arrays of numpy.
    print(name_of(entry), entry["layer"], entry["residual"].shape, cosine)
`;
