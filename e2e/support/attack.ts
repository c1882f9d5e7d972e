/** @file An attack in Chromium: timed, with the memory that page and workers took, and counted (docs/security.md). */
import { readFileSync } from "node:fs";
import type { Browser } from "@playwright/test";
import { logAttack, type AttackClass } from "../../src/lib/testing/attackLog.ts";
import { expect } from "./test.ts";

export interface BrowserAttack {
  readonly kind: AttackClass;
  readonly name: string;
  /** What happened before it was mended. */
  readonly fault?: string;
  /** Stored facts that it is aimed at. */
  readonly facts?: number;
}

/** Makes the attack; `work` gives how many facts were lost where it was aimed at any. */
export async function attack(
  browser: Browser,
  { kind, name, fault, facts = 0 }: BrowserAttack,
  work: () => Promise<unknown>,
): Promise<void> {
  const started = performance.now();
  const result = await work();
  const lost = typeof result === "number" ? result : 0;
  const milliseconds = performance.now() - started;
  const bytes = await memoryOf(browser);
  logAttack({ kind, name, ...(fault === undefined ? {} : { fault }), milliseconds, facts, lost, bytes });
  expect(lost, `${name}: facts lost`).toBe(0);
  expect(bytes, `${name}: bytes of page and workers`).toBeLessThan(MOST_BYTES);
}

/** What the pages of `browser` and their workers hold, in bytes; shared pages are counted once. */
async function memoryOf(browser: Browser): Promise<number> {
  return (await renderers(browser)).reduce((sum, pid) => sum + shareOf(pid), 0);
}

/** The processes that pages run in. */
export async function renderers(browser: Browser): Promise<number[]> {
  const session = await browser.newBrowserCDPSession();
  try {
    const { processInfo } = await session.send("SystemInfo.getProcessInfo");
    return processInfo.filter(({ type }) => type === "renderer").map(({ id }) => id);
  } finally {
    await session.detach();
  }
}

/** Its own part of the machine's memory; 0 for a process that has ended meanwhile, or on a system that does not tell. */
function shareOf(pid: number): number {
  try {
    const kilobytes = /^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"))?.[1];
    return 1024 * Number(kilobytes ?? 0);
  } catch {
    return 0;
  }
}

const MOST_BYTES = 1.5e9;
