/**
 * @file What no single file can show: that the files of src import each other in one direction, that the name of a
 * record is the name of nothing else, and that what a person reads is counted in one way. Which folder may import which is lint's (eslint.config.js).
 */

import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import ts from "typescript";
import { describe, expect, it } from "vitest";

const SRC = join(import.meta.dirname, "../src");

const parsed = (name: string, text: string): ts.SourceFile =>
  ts.createSourceFile(name, text, ts.ScriptTarget.Latest);

/** The code of the app by path; names are relative to src. */
const FILES = new Map(
  readdirSync(SRC, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.tsx?$/.test(name) && !/\.(test|d)\.tsx?$|(^|\/)testing\//.test(name))
    .map((name) => [name, parsed(name, readFileSync(join(SRC, name), "utf8"))]),
);

/**
 * Paths of the files that a file needs before it can run. `import type` is gone by then (`import { type X }` is not),
 * and `import()` comes later.
 */
function imported({ statements }: ts.SourceFile): string[] {
  return statements.flatMap((statement) => {
    if (!ts.isImportDeclaration(statement) && !ts.isExportDeclaration(statement)) return [];
    const typeOnly = ts.isImportDeclaration(statement)
      ? statement.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword
      : statement.isTypeOnly;
    const from = statement.moduleSpecifier;
    return !typeOnly && from && ts.isStringLiteral(from) && from.text.startsWith(".") ? [from.text] : [];
  });
}

/** Every way round from a file back to itself, each told once. */
function cycles(needs: ReadonlyMap<string, readonly string[]>): string[] {
  const found: string[] = [];
  const left = new Set<string>();
  const visit = (file: string, path: readonly string[]): void => {
    if (path.includes(file)) found.push([...path.slice(path.indexOf(file)), file].join(" -> "));
    if (path.includes(file) || left.has(file)) return;
    for (const next of needs.get(file) ?? []) visit(next, [...path, file]);
    left.add(file);
  };
  for (const file of needs.keys()) visit(file, []);
  return found;
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
  it("lead from no file of src back to itself", () => {
    const needs = new Map(
      [...FILES].map(([name, file]) => [
        name,
        imported(file).map((from) => resolve(SRC, dirname(name), from).slice(SRC.length + 1)),
      ]),
    );
    expect(needs.get("flow/memorize.ts")).toContain("flow/encodePlan.ts");
    expect(cycles(needs)).toEqual([]);
  });

  it("that do are told; types and later imports are none", () => {
    const round = { a: ["b"], b: ["c", "d"], c: ["b"], d: [] };
    expect(cycles(new Map(Object.entries(round)))).toEqual(["b -> c -> b"]);
    const text = `import type { A } from "./a.ts"; import { type B } from "./b.ts"; import "idb";
      export type { C } from "./c.ts"; export { d } from "./d.ts"; const e = () => import("./e.ts");`;
    expect(imported(parsed("x.ts", text))).toEqual(["./b.ts", "./d.ts"]);
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

describe("counts that a person reads", () => {
  it("go through the functions that know one from many", () => {
    const told = [...FILES].filter(([name]) => /^(?:figures|notebook|state|ui)\//.test(name));
    expect(told.length).toBeGreaterThan(300);
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
