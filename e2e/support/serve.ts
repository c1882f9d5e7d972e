/** @file The worker's half of a browser test: a table of named checks, answered one message each. */

export interface Call {
  readonly id: number;
  readonly check: string;
  readonly argument: unknown;
}

export type Answer = { readonly id: number } & (
  | { readonly value: unknown }
  | { readonly error: { name: string; message: string; stack: string } }
);

export type Checks = Readonly<Record<string, (argument: never) => unknown>>;

/** Answers calls with the results of `checks`; values must be structured-cloneable. */
export function serveChecks(checks: Checks): void {
  globalThis.onmessage = async ({ data }: MessageEvent<Call>) => {
    const check = checks[data.check];
    try {
      if (!check)
        throw new Error(`e2e: no check "${data.check}"; there are ${Object.keys(checks).join(", ")}`);
      answer({ id: data.id, value: await check(data.argument as never) });
    } catch (error) {
      const { name, message, stack = "" } = error as Error;
      answer({ id: data.id, error: { name, message, stack } });
    }
  };
}

function answer(message: Answer): void {
  (globalThis as unknown as { postMessage(message: Answer): void }).postMessage(message);
}
