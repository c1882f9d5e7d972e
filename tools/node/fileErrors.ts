/** @file Node's file errors by code. */

export async function unlessCode<T, U>(code: string, promise: Promise<T>, otherwise: U): Promise<T | U> {
  try {
    return await promise;
  } catch (error) {
    if (codeOf(error) === code) return otherwise;
    throw error;
  }
}

export function unlessMissing<T, U>(promise: Promise<T>, missing: U): Promise<T | U> {
  return unlessCode("ENOENT", promise, missing);
}

export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error ? String(error.code) : undefined;
}
