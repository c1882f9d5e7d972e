/**
 * @file The self-test of a backend: a fixed probe whose results are compared with stored numbers, computed once on
 * the CPU in float32 (testing/writeSelftest.ts). A backend that computes wrongly is not to be used silently.
 */
import type { Device } from "./device.ts";
import { runProbe, type ProbeNumbers, type WeightType } from "./probe.ts";
import stored from "./selftest.expected.json" with { type: "json" };

/** "degraded": usable, with visible rounding; "wrong": the results mean nothing. */
export type Verdict = "pass" | "degraded" | "wrong";

export interface CheckReport {
  readonly name: string;
  readonly weights: WeightType;
  /** Largest difference over the largest expected magnitude; Infinity for missing, extra or non-finite numbers. */
  readonly error: number;
  readonly verdict: Verdict;
}

export interface SelfTestReport {
  /** The worst verdict of all checks. */
  readonly verdict: Verdict;
  /** One sentence: the verdict, and the check that decided it. */
  readonly summary: string;
  readonly checks: readonly CheckReport[];
  readonly milliseconds: number;
}

/** Runs the probe on `device`, with float32 weights and, where the device has float16, with float16 weights too. */
export async function selfTest(device: Device): Promise<SelfTestReport> {
  const started = performance.now();
  const types: WeightType[] = device.capabilities.f16 ? ["float32", "float16"] : ["float32"];
  const checks: CheckReport[] = [];
  for (const weights of types)
    checks.push(...judge(weights, await runProbe(device, weights), stored as ProbeNumbers));
  const worst = checks.reduce((a, b) => (b.error > a.error ? b : a));
  return {
    verdict: worst.verdict,
    summary:
      `${worst.verdict}: largest relative error ${worst.error.toExponential(1)} ` +
      `in ${worst.name} with ${worst.weights} weights, of ${String(checks.length)} checks`,
    checks,
    milliseconds: performance.now() - started,
  };
}

/** Compares the probe's numbers with the expected ones, check by check. */
export function judge(weights: WeightType, found: ProbeNumbers, expected: ProbeNumbers): CheckReport[] {
  return Object.entries(expected).map(([name, numbers]) => {
    const error = relativeError(found[name] ?? [], numbers);
    return { name, weights, error, verdict: verdictOf(error) };
  });
}

function relativeError(found: readonly number[], expected: readonly number[]): number {
  if (found.length !== expected.length) return Infinity;
  let difference = 0;
  let magnitude = 0;
  for (const [i, value] of expected.entries()) {
    difference = Math.max(difference, Math.abs(found[i]! - value));
    magnitude = Math.max(magnitude, Math.abs(value));
  }
  return Number.isFinite(difference) ? difference / (magnitude || 1) : Infinity;
}

function verdictOf(error: number): Verdict {
  if (error <= PASS_WITHIN) return "pass";
  return error <= DEGRADED_WITHIN ? "degraded" : "wrong";
}

/** float32 with sums in another order stays far below (measured: see selftest.test.ts and e2e). */
const PASS_WITHIN = 5e-4;
/** Sums in float16 over these widths stay below (ORT.md §0: 4e-3 to 1.1e-2 for one product). */
const DEGRADED_WITHIN = 5e-2;
