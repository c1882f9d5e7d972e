/** @file Errors in one form: area, what failed, the value, what was expected, what to do. */

/** Throws `Error(message())` when `condition` is false; the message is built only then. */
export function assert(condition: unknown, message: () => string): asserts condition {
  if (!condition) throw new Error(message());
}

/** Returns `value`, or throws when it is null or undefined. */
export function present<T>(value: T | null | undefined, message: () => string): T {
  if (value === null || value === undefined) throw new Error(message());
  return value;
}

/** Thrown when the caller's AbortSignal fired; callers branch on it to tell a cancel from a failure. */
export class Cancelled extends Error {
  override name = "Cancelled";
}

/** Throws {@link Cancelled} when the signal has fired. */
export function throwIfCancelled(signal: AbortSignal | undefined, what: string): void {
  if (signal?.aborted) throw new Cancelled(`${what}: cancelled`);
}

/** The message of a thrown value. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
