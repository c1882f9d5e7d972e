/** @file The self-test of a backend: results of a fixed probe against numbers from the CPU (testing/writeSelftest.ts). */

import type { Device } from "../runtime/device.ts";
import type { Precision } from "../lib/precision.ts";
import { recordedAlike, runProbe, runRoundedProbe, type ProbeResults } from "./probe.ts";
import stored from "./selftest.expected.json" with { type: "json" };

/** "degraded": usable, with visible rounding; "wrong": the results mean nothing. */
type Verdict = "pass" | "degraded" | "wrong";

interface CheckReport {
  readonly name: string;
  /** Largest difference over the largest expected magnitude, or share of wrong counts; Infinity if incomparable. */
  readonly error: number;
  readonly verdict: Verdict;
}

type Report = ReturnType<typeof reportOf>;

export interface SelfTestReport extends Report {
  readonly shortcuts: Shortcuts;
}

/** Which faster ways of a device give the same bits as the plain ways; the others are not used. */
interface Shortcuts {
  readonly loops: boolean;
  readonly recording: boolean;
}

export function withShortcuts(device: Device, { loops, recording }: Shortcuts): Device {
  const { createFixedSession, ...plain } = device;
  return {
    ...plain,
    loops: device.loops && loops,
    ...(recording && createFixedSession && { createFixedSession }),
  };
}

export async function selfTest(device: Device): Promise<SelfTestReport> {
  const started = performance.now();
  const { results: found, loops } = await runProbe(device);
  const shortcuts = { loops, recording: recordedAlike(found) };
  const slower =
    loops === device.loops ? "" : "; decoding takes one token per run, since many per run gave other results";
  return { ...reportOf(device, judge(found, stored), shortcuts, slower, started), shortcuts };
}

export async function precisionTest(
  device: Device,
  precision: Precision,
): Promise<Report & Pick<Shortcuts, "recording">> {
  const started = performance.now();
  const { found, expected } = await runRoundedProbe(device, precision);
  const numbers = Object.entries(expected).map(([name, { values }]) => [name, values] as const);
  const recording = recordedAlike(found);
  const checks = judge(found, Object.fromEntries(numbers));
  return { ...reportOf(device, checks, { recording }, "", started), recording };
}

function reportOf(
  device: Device,
  checks: readonly CheckReport[],
  { recording }: Pick<Shortcuts, "recording">,
  slower: string,
  started: number,
) {
  const { verdict, error, name } = checks.reduce((a, b) => (b.error > a.error ? b : a));
  const unrecorded =
    recording || !device.createFixedSession
      ? ""
      : "; no step is recorded, since recorded steps gave other results";
  const summary =
    `${verdict}: largest relative error ${error.toExponential(1)} in ${name}, of ${checks.length} checks` +
    `${slower}${unrecorded}`;
  return { verdict, summary, checks, milliseconds: performance.now() - started };
}

export const judge = (
  found: ProbeResults,
  expected: Readonly<Record<string, readonly number[]>>,
): CheckReport[] =>
  Object.entries(expected).map(([name, numbers]) => {
    const { kind = "measures", values = [] } = found[name] ?? {};
    const error = values.length !== numbers.length ? Infinity : ERRORS[kind](values, numbers);
    return { name, error, verdict: verdictOf(error) };
  });

const ERRORS = {
  measures(found: readonly number[], expected: readonly number[]): number {
    const difference = Math.max(...expected.map((value, i) => Math.abs(found[i]! - value)));
    const magnitude = Math.max(...expected.map(Math.abs));
    return Number.isFinite(difference) ? difference / (magnitude || 1) : Infinity;
  },
  counts: (found: readonly number[], expected: readonly number[]): number =>
    expected.filter((value, i) => found[i] !== value).length / (expected.length || 1),
} as const;

function verdictOf(error: number): Verdict {
  if (error <= PASS_WITHIN) return "pass";
  return error <= DEGRADED_WITHIN ? "degraded" : "wrong";
}

/** float32 with sums in another order stays far below (measured: see selftest.test.ts and e2e). */
const PASS_WITHIN = 5e-4;
/** Sums in float16 over these widths stay below; one product was off by 4e-3 to 1.1e-2. */
const DEGRADED_WITHIN = 5e-2;
