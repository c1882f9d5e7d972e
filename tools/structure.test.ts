/**
 * @file Rules that no single file can show: imports keep to the law and form no cycle, names are exported one by one, a record's name has one meaning, and page texts count
 * with one function. The import law is the two tables (docs/design.md).
 */

import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { PARAMETER_NAMES } from "../src/records/params.ts";

/** Folder -> folders it may import values from. Types may cross freely. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  records: ["lib"],
  lib: [],
  ingest: ["records", "lib"],
  extract: ["records", "lib"],
  plan: ["records", "lib"],
  graph: ["lib"],
  weights: ["lib"],
  runtime: ["lib", "graph"],
  memory: ["records", "lib", "plan"],
  engine: ["records", "lib", "graph", "weights", "runtime"],
  store: ["records", "lib"],
  router: ["records", "lib"],
  flow: ["records", "lib", "ingest", "extract", "plan", "memory", "router"],
  evaluate: ["records", "lib", "ingest", "extract", "plan", "memory", "router", "flow"],
  hub: ["records", "lib", "weights"],
  rpc: ["records", "lib"],
  service: [
    "records",
    "lib",
    "rpc",
    "ingest",
    "plan",
    "weights",
    "hub",
    "runtime",
    "engine",
    "memory",
    "router",
    "flow",
    "store",
    "evaluate",
    "figures",
  ],
  notebook: ["records", "lib"],
  figures: ["records", "lib", "evaluate"],
  state: ["records", "lib", "rpc", "notebook", "figures"],
  ui: ["records", "lib", "notebook", "evaluate", "figures", "state"],
};

/** Package -> the folder, or the folders, that may import it. */
const OWNED_BY: Readonly<Record<string, string | readonly string[]>> = {
  "onnxruntime-web": "runtime",
  "onnxruntime-node": "runtime",
  "onnxruntime-common": "runtime",
  "@huggingface/transformers": "engine",
  "@huggingface/tokenizers": "engine",
  "@huggingface/jinja": "engine",
  minisearch: ["router", "lib"],
  "@noble/hashes": "lib",
  papaparse: "lib",
  stemmer: "lib",
  "@orama/stopwords": "lib",
  "@zip.js/zip.js": "lib",
  "umap-js": "figures",
  "ml-matrix": "figures",
  diff: "figures",
  "pdfjs-dist": "ingest",
  mammoth: "ingest",
  "postal-mime": "ingest",
  parse5: "ingest",
  chardet: "ingest",
  micromark: ["ingest", "ui"],
  "micromark-extension-gfm": ["ingest", "ui"],
  idb: "store",
  "fake-indexeddb": "store",
  "@huggingface/hub": "hub",
  zustand: "state",
  react: "ui",
  "react-dom": "ui",
  recharts: "ui",
  "radix-ui": "ui",
  "@tanstack/react-virtual": "ui",
  "@dnd-kit/core": "ui",
  "@dnd-kit/sortable": "ui",
  "@dnd-kit/utilities": "ui",
  sonner: "ui",
};

const SRC = join(import.meta.dirname, "../src");

const parsed = (name: string, text: string): ts.SourceFile =>
  ts.createSourceFile(name, text, ts.ScriptTarget.Latest);

/** The code of the app by path; names are relative to src. */
const FILES = new Map(
  readdirSync(SRC, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.tsx?$/.test(name) && !/\.(test|d)\.tsx?$|(^|\/)testing\//.test(name))
    .map((name) => [name, parsed(name, readFileSync(join(SRC, name), "utf8"))]),
);

/** Paths of the files that a file imports from or exports from, types included; `import()` is loaded later and not counted. */
function imported({ statements }: ts.SourceFile): string[] {
  return statements.flatMap((statement) => {
    if (!ts.isImportDeclaration(statement) && !ts.isExportDeclaration(statement)) return [];
    const from = statement.moduleSpecifier;
    return from && ts.isStringLiteral(from) && from.text.startsWith(".") ? [from.text] : [];
  });
}

/** Why a file of the folder `from` may not import values from `source`, resolved against src; undefined where it may. */
function breach(file: string, source: string): string | undefined {
  const [from] = file.split("/") as [string];
  if (!(from in MAY_IMPORT)) return undefined;
  if (source.startsWith(".")) {
    const to = resolve(SRC, dirname(file), source)
      .slice(SRC.length + 1)
      .split("/")[0]!;
    const may = MAY_IMPORT[from]!;
    if (!(to in MAY_IMPORT) || to === from || may.includes(to)) return undefined;
    return `${file} imports ${source}; src/${from} may import values only from: ${may.join(", ") || "itself"}`;
  }
  const owners = Object.entries(OWNED_BY).find(([name]) => source === name || source.startsWith(`${name}/`));
  if (owners === undefined || [owners[1]].flat().includes(from)) return undefined;
  return `${file} imports ${source}, which belongs to src/${[owners[1]].flat().join(" and src/")}`;
}

/** What a file imports as values, also by `import()`; types may cross freely, since they are gone when the code runs. */
function values(file: ts.SourceFile): string[] {
  const found: string[] = [];
  const keep = (from: ts.Node | undefined): void => {
    if (from && ts.isStringLiteral(from)) found.push(from.text);
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) {
      const { isTypeOnly, name, namedBindings: named } = node.importClause ?? {};
      const types = named && ts.isNamedImports(named) && named.elements.length > 0;
      if (!isTypeOnly && (name || !types || !named.elements.every((one) => one.isTypeOnly)))
        keep(node.moduleSpecifier);
    }
    if (ts.isExportDeclaration(node) && !node.isTypeOnly) {
      const named = node.exportClause;
      if (!named || !ts.isNamedExports(named) || !named.elements.every((one) => one.isTypeOnly))
        keep(node.moduleSpecifier);
    }
    if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
      keep(node.arguments[0]);
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

/** Every cycle in a graph, each reported once. */
function cycles(needs: ReadonlyMap<string, readonly string[]>): string[] {
  const found: string[] = [];
  const done = new Set<string>();
  const visit = (node: string, path: readonly string[]): void => {
    if (path.includes(node)) found.push([...path.slice(path.indexOf(node)), node].join(" -> "));
    if (path.includes(node) || done.has(node)) return;
    for (const next of needs.get(node) ?? []) visit(next, [...path, node]);
    done.add(node);
  };
  for (const node of needs.keys()) visit(node, []);
  return found;
}

/** The files that each file of src imports. */
const NEEDS = new Map(
  [...FILES].map(([name, file]) => [
    name,
    imported(file).map((from) => resolve(SRC, dirname(name), from).slice(SRC.length + 1)),
  ]),
);

/** The folder of ui that a file belongs to: "controls", or "cells/ask"; undefined for files outside ui and in its root. */
function uiFolder(file: string): string | undefined {
  const [top, folder, cell, ...rest] = file.split("/");
  if (top !== "ui" || folder === undefined || cell === undefined) return undefined;
  return folder === "cells" && rest.length > 0 ? `cells/${cell}` : folder;
}

/** The folders of ui that each folder of ui imports. */
function uiNeeds(): ReadonlyMap<string, readonly string[]> {
  const needs = new Map<string, Set<string>>();
  for (const [file, targets] of NEEDS) {
    const from = uiFolder(file);
    if (from === undefined) continue;
    const found = needs.get(from) ?? new Set();
    needs.set(from, found);
    for (const to of targets.map(uiFolder)) if (to !== undefined && to !== from) found.add(to);
  }
  return new Map([...needs].map(([from, to]) => [from, [...to]]));
}

/** The types that a file exports. */
const typesOf = ({ statements }: ts.SourceFile): string[] =>
  statements.flatMap((statement) =>
    (ts.isInterfaceDeclaration(statement) ||
      ts.isTypeAliasDeclaration(statement) ||
      (ts.isClassDeclaration(statement) && statement.name !== undefined)) &&
    statement.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)
      ? [statement.name!.text]
      : [],
  );

describe("imports", () => {
  it("keep to the law", () => {
    const broken = [...FILES].flatMap(([name, file]) => values(file).map((from) => breach(name, from)));
    expect(broken.length).toBeGreaterThan(2000);
    expect(broken.filter(Boolean)).toEqual([]);
  });

  it("that break the law are found, and types are not", () => {
    const text = `import type { A } from "../ui/a.ts"; import { type B } from "../ui/b.ts"; import "idb"; import { a, type D } from "../ui/c.ts";
      export type { C } from "../ui/d.ts"; export { d } from "../lib/e.ts"; const e = () => import("../state/e.ts");`;
    const found = values(parsed("x.ts", text));
    expect(found).toEqual(["idb", "../ui/c.ts", "../lib/e.ts", "../state/e.ts"]);
    expect(found.map((from) => breach("records/x.ts", from)?.slice(0, 38))).toEqual([
      "records/x.ts imports idb, which belong",
      "records/x.ts imports ../ui/c.ts; src/r",
      undefined,
      "records/x.ts imports ../state/e.ts; sr",
    ]);
  });

  it("are of names, from the file that has them", () => {
    const barrels = [...FILES].filter(([, { statements }]) =>
      statements.some((node) => ts.isExportDeclaration(node) && !node.exportClause),
    );
    expect(barrels.map(([name]) => name)).toEqual([]);
  });

  it("form no cycle of files", () => {
    expect(NEEDS.get("flow/memorize.ts")?.length).toBeGreaterThan(5);
    expect(cycles(NEEDS)).toEqual([]);
  });

  it("form no cycle of folders inside ui", () => {
    expect(uiNeeds().get("table")).toContain("controls");
    expect(cycles(uiNeeds())).toEqual([]);
  });

  it("are counted with their types, and every cycle is found", () => {
    const round = { a: ["b"], b: ["c", "d"], c: ["b"], d: [] };
    expect(cycles(new Map(Object.entries(round)))).toEqual(["b -> c -> b"]);
    const text = `import type { A } from "./a.ts"; import { type B } from "./b.ts"; import "idb";
      export type { C } from "./c.ts"; export { d } from "./d.ts"; const e = () => import("./e.ts");`;
    expect(imported(parsed("x.ts", text))).toEqual(["./a.ts", "./b.ts", "./c.ts", "./d.ts"]);
  });
});

describe("names of records", () => {
  const exported = [...FILES].flatMap(([name, file]) => typesOf(file).map((type) => ({ name, type })));
  const homes = new Map(
    exported.filter(({ name }) => name.startsWith("records/")).map(({ name, type }) => [type, name]),
  );

  it("mean one thing in all of src", () => {
    expect(homes.get("MemoryEntry")).toBe("records/memory.ts");
    const others = exported.filter(({ name, type }) => homes.has(type) && homes.get(type) !== name);
    expect(others.map(({ name, type }) => `${name} has a ${type} of its own`)).toEqual([]);
  });
});

/** What a person reads counted. */
const COUNTED =
  /^ (?:other |older |stored |recalled |more )?(?:facts|vectors|keys|parts|steps|tokens|layers|sentences|candidates|anchors|questions|texts|documents|words|characters|files|rows|cases|points|gates|runs|samples|methods|answers|pages|copies)\b/;
/** What gives a number with decimals, a range, or no number. */
const NOT_ONE = new Set(["numberText", "perFact", "points", "nameOf", "toFixed", "title"]);

/** Places where a number stands before a plural as it is, so that one would be "1 facts". */
function uncounted(file: ts.SourceFile): string[] {
  const found: string[] = [];
  const look = (number: ts.Expression | undefined, behind: string): void => {
    const said = number && ts.isCallExpression(number) ? number.expression : number;
    const name = said && ts.isPropertyAccessExpression(said) ? said.name : said;
    const fine = !name || (ts.isIdentifier(name) && NOT_ONE.has(name.text));
    if (!fine && COUNTED.test(behind)) found.push(behind.trim().slice(0, 30));
  };
  const visit = (node: ts.Node): void => {
    if (ts.isTemplateSpan(node)) look(node.expression, node.literal.text);
    if (ts.isJsxElement(node) || ts.isJsxFragment(node))
      for (const [i, child] of node.children.entries())
        if (ts.isJsxExpression(child)) {
          const next = node.children[i + 1];
          if (next && ts.isJsxText(next)) look(child.expression, next.text.replace(/\s+/g, " "));
        }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

describe("limits of the project", () => {
  it("are at most 38 parameters, and no code that the formatter leaves alone", () => {
    expect(PARAMETER_NAMES.length).toBeLessThanOrEqual(38);
    const ignored = [...FILES].filter(([, file]) => /(?:prettier|oxfmt)-ignore/.test(file.text));
    expect(ignored.map(([name]) => name)).toEqual([]);
  });
});

describe("counts that a person reads", () => {
  it("go through the functions that know one from many", () => {
    const told = [...FILES].filter(([name]) => /^(?:figures|notebook|state|ui)\//.test(name));
    expect(told.length).toBeGreaterThan(100);
    const places = told.flatMap(([name, file]) => uncounted(file).map((words) => `${name}: ${words}`));
    expect(places).toEqual([]);
  });

  it("that do not are told", () => {
    const text =
      'const a = `${n} facts, ${x.toFixed(1)} steps, ${many(n, "fact")}`; const b = <p>{n} older facts</p>;';
    expect(uncounted(ts.createSourceFile("x.tsx", text, ts.ScriptTarget.Latest))).toEqual([
      "facts,",
      "older facts",
    ]);
  });
});
