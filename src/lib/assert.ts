export function assert(condition: unknown, message: () => string): asserts condition {
  if (!condition) throw new Error(message());
}

export function present<T>(value: T | null | undefined, message: () => string): T {
  if (value === null || value === undefined) throw new Error(message());
  return value;
}

/** Thrown if the caller's AbortSignal fired; callers distinguish it from a failure. */
export class Cancelled extends Error {
  override name = "Cancelled";
}

export function throwIfCancelled(signal: AbortSignal | undefined, what: string): void {
  if (signal?.aborted) throw new Cancelled(`${what}: cancelled`);
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
