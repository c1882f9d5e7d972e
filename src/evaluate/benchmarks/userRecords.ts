/** @file Records of a user's file: JSON, JSON lines, or CSV. */

import { assert, present } from "../../lib/assert.ts";
import { isObject } from "../../lib/check.ts";
import { isDeeper } from "../../lib/deepJson.ts";
import { tableRows } from "../../lib/tableRows.ts";
import { BABILONG_LABELS, labelsOf } from "../scores/scorers.ts";
import type { UserFile } from "./benchmark.ts";

export type Fields = Readonly<Record<string, unknown>>;

/** The records of a file, in order. @throws without a record, or if a line is invalid */
export function recordsOf({ name, text }: UserFile): Fields[] {
  const records = /\.csv$/i.test(name) ? namedRows(text) : jsonRecords(name, text);
  assert(records.length > 0, () => `evaluate: ${name} holds no record; expected at least one`);
  return records;
}

/** Levels of objects and lists: no published record has more than four. */
const DEEPEST = 20;

function jsonRecords(name: string, text: string): Fields[] {
  assert(
    !isDeeper(text, DEEPEST),
    () => `evaluate: ${name} nests deeper than ${DEEPEST} levels; records with named fields are expected`,
  );
  const trimmed = text.trim();
  if (trimmed.startsWith("[")) return (JSON.parse(trimmed) as unknown[]).map((one) => fieldsOf(one, name));
  const lines = trimmed.split("\n").filter((line) => line.trim() !== "");
  return lines.map((line, i) => {
    try {
      return fieldsOf(JSON.parse(line), name);
    } catch (error) {
      throw new Error(
        `evaluate: ${name}: line ${i + 1} is not a record (${line.slice(0, 40)}…); expected a JSON object`,
        {
          cause: error,
        },
      );
    }
  });
}

function fieldsOf(value: unknown, name: string): Fields {
  assert(
    isObject(value),
    () =>
      `evaluate: ${name} holds ${JSON.stringify(value).slice(0, 40)} where a record with named fields is expected`,
  );
  return value;
}

/** The items of a field: a list, or texts separated by "|". */
export function strings(value: unknown): readonly string[] {
  if (value === undefined || value === null || value === "") return [];
  if (Array.isArray(value)) return value.map(String);
  return String(value)
    .split("|")
    .map((one) => one.trim())
    .filter((one) => one !== "");
}

/** Task, length and labels by the name of a BABILong file: "qa1_16k.json". @throws on a task without known labels */
export function babilongPlace(name: string) {
  const task = /qa\d+/.exec(name)?.[0] ?? "";
  const labels = present(
    labelsOf(task),
    () =>
      `evaluate: ${name}: its name has the task "${task}"; records of BABILong are scored by the answers of ` +
      `${Object.keys(BABILONG_LABELS).join(", ")}. Name the file by one of them, such as qa1_16k.json`,
  );
  return { task, length: /\d+[kM](?![a-z])/.exec(name)?.[0] ?? "", labels };
}

/** Rows of comma-separated values by the names in the first; a row has no more fields than it has cells. */
function namedRows(text: string): Fields[] {
  const [head = [], ...rows] = tableRows(text, ",");
  const names = head.map((name) => name.trim());
  return rows.map((row) =>
    Object.fromEntries(row.slice(0, names.length).map((cell, i) => [names[i]!, cell])),
  );
}
