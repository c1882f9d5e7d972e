/**
 * @file Run files: one JSON document per line, a header and then records, only appended to. A killed run may end in half
 * a line; a continued one may have several headers.
 */

import { runLine } from "../../records/run.ts";
import { assert } from "../../lib/assert.ts";
import { checked } from "../../lib/check.ts";
import { isDeeper } from "../../lib/deepJson.ts";
import type { Evaluation, SampleRecord } from "../../records/evaluation.ts";
import type { CaseRecord, Run, RunHeader, RunRecord } from "../../records/run.ts";
import { latest, mergedHeader } from "./merge.ts";

/** Limit of a file of a run or of predictions: some ten thousand samples with prompts of 16,000 characters. */
export const MOST_RUN_BYTES = 2 ** 28;
/** Limit of nested objects and lists in a line. */
const DEEPEST = 20;

/** A header or record as a line of a run file. */
export const lineOf = (line: RunHeader | RunRecord): string => `${JSON.stringify(line)}\n`;

/**
 * Reads an evaluation.
 * @returns null if not even the first line is complete
 * @throws on an invalid line, with its number, and if headers differ in what decides a sample
 */
export function readRun(content: string, where: string): Evaluation | null {
  const lines = linesOf(content, where, "evaluation", "sample");
  const headers = lines.filter((line) => line.kind === "evaluation");
  const samples = lines.filter((line): line is SampleRecord => line.kind === "sample");
  return headers.length === 0 ? null : { header: mergedHeader(headers, where), samples: latest(samples) };
}

/** Reads a study, as {@link readRun}. */
export function readStudy(content: string, where: string): Run | null {
  const lines = linesOf(content, where, "study", "case");
  const [header] = lines.filter((line) => line.kind === "study");
  const cases = lines.filter((line): line is CaseRecord => line.kind === "case");
  return header === undefined ? null : { header, cases };
}

/** The complete lines of a file: a header of kind `first`, then records of kind `second`. */
function linesOf(
  content: string,
  where: string,
  first: RunHeader["kind"],
  second: RunRecord["kind"],
): (RunHeader | RunRecord)[] {
  assert(
    content.length <= MOST_RUN_BYTES,
    () =>
      `evaluate: ${where} has ${content.length} characters, the limit is ${MOST_RUN_BYTES}; split it by samples`,
  );
  const complete = content.slice(0, content.lastIndexOf("\n") + 1);
  const lines = complete.split("\n").slice(0, -1);
  return lines.map((text, i) => {
    const place = `${where}: line ${i + 1}`;
    const line = checked(runLine, parsed(text, place), `${place}: `);
    const allowed = i === 0 ? [first] : [first, second];
    assert(
      (allowed as readonly string[]).includes(line.kind),
      () => `${place}: a record of kind "${line.kind}", expected ${allowed.join(" or ")}`,
    );
    return line;
  });
}

function parsed(text: string, place: string): unknown {
  assert(!isDeeper(text, DEEPEST), () => `evaluate: ${place} nests deeper than ${DEEPEST} levels`);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`${place} is not valid JSON (${text.slice(0, 40)}…); remove that line or the file`, {
      cause: error,
    });
  }
}

/** Prompts that a recorded run keeps, in characters at most. Our own are shorter; a window full of text is longer. */
export const LONGEST_PROMPT = 2500;

/**
 * An evaluation as the repository keeps it: long prompts, which text and method can make again, only as hashes, and
 * times in whole milliseconds.
 */
export const recorded = ({ header, samples }: Evaluation): Evaluation => ({
  header,
  samples: samples.map((sample) => ({
    ...sample,
    prompt: sample.prompt !== null && sample.prompt.length > LONGEST_PROMPT ? null : sample.prompt,
    milliseconds: {
      prepare: Math.round(sample.milliseconds.prepare),
      answer: Math.round(sample.milliseconds.answer),
    },
  })),
});
