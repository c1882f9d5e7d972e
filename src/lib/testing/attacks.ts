/**
 * @file Attacks as tests that count themselves. Each is tried on the code that the app runs, must end within the longest
 * wait that is promised, and is logged with what it cost.
 */

import { expect, test } from "vitest";
import { logAttack, type AttackClass } from "./attackLog.ts";

/** Facts that an attack was aimed at. */
export interface Stakes {
  readonly facts: number;
  readonly lost: number;
}

/** Makes the attack and checks what came of it; gives what was at stake where facts were stored. */
export type Attack = () => unknown;

export interface KnownFault {
  /** What happened before it was mended. */
  readonly fault: string;
  readonly attack: Attack;
}

/** Declares attacks of one class by name; those that found a fault say which. */
export function attacks(kind: AttackClass, table: Readonly<Record<string, Attack | KnownFault>>): void {
  test.each(Object.entries(table))(`attack on ${kind}: %s`, async (name, given) => {
    const { fault, attack } = typeof given === "function" ? { fault: undefined, attack: given } : given;
    const [started, work] = [performance.now(), process.cpuUsage()];
    const result = await attack();
    const milliseconds = performance.now() - started;
    // Of work and not of the clock: a machine that does other things beside is no fault of the code.
    const { user, system } = process.cpuUsage(work);
    const { facts, lost } = isStakes(result) ? result : { facts: 0, lost: 0 };
    logAttack({ kind, name, ...(fault === undefined ? {} : { fault }), milliseconds, facts, lost });
    expect((user + system) / 1000, "no wait without a word is longer").toBeLessThan(LONGEST_WAIT_MS);
    expect(lost, "facts lost").toBe(0);
  });
}

/** Expects a refusal in the house's form: it names what was wrong, and it is no essay. */
export async function refused(work: Promise<unknown> | (() => unknown), message: RegExp): Promise<void> {
  const error: unknown = await Promise.resolve(typeof work === "function" ? capture(work) : work).then(
    (value) => value,
    (thrown: unknown) => thrown,
  );
  expect(error, "it must be refused").toBeInstanceOf(Error);
  expect((error as Error).message).toMatch(message);
  expect((error as Error).message).toMatch(HOUSE_FORM);
  expect((error as Error).message.length, "length of the message").toBeLessThan(LONGEST_MESSAGE);
}

async function capture(work: () => unknown): Promise<unknown> {
  return work();
}

function isStakes(value: unknown): value is Stakes {
  return typeof value === "object" && value !== null && "facts" in value && "lost" in value;
}

/**
 * No wait without a word is longer than ten seconds on an idle machine (docs/security.md). A core that others share does
 * a third as much in a second; what is caught here are minutes.
 */
const LONGEST_WAIT_MS = 30_000;
/** "area: what failed": the area is a folder of src, a library of ours, or the file of a model. */
const HOUSE_FORM =
  /^(?:(?:archive|csv|engine|evaluate|figures|hub|ingest|library|notebook|rpc|run\.jsonl|safetensors|state|store|weights|zip|config\.json|tokenizer\.json|tokenizer_config\.json)(?:: |,))/;
const LONGEST_MESSAGE = 1200;
