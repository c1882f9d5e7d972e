/** @file Requests to the Hub that are repeated after a broken connection, by an overloaded server, and after too many. */

export const ATTEMPTS = 4;
export const RETRY_MS = 500;
const LONGEST_MS = 300_000;

export const isBusy = ({ status }: Response): boolean => status === 429 || status >= 500;

/**
 * Milliseconds that a busy server asks to wait, in Retry-After or in the Hub's RateLimit (`"resolvers";r=0;t=40`), at most
 * five minutes; undefined if it asks for none.
 */
export function askedWait({ status, headers }: Response): number | undefined {
  // Answers of every kind have the second; it asks to wait once nothing is left.
  const window = status === 429 ? /;\s*t=(\d+)/.exec(headers.get("RateLimit") ?? "")?.[1] : undefined;
  const seconds = headers.get("Retry-After") ?? window;
  return seconds && /^\d+$/.test(seconds) ? Math.min(1000 * Number(seconds), LONGEST_MS) : undefined;
}

/** Resolves after a time, or when `signal` fires. */
export function rest(milliseconds: number, signal?: AbortSignal | null): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal?.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/** `send` for small answers: the last failure is thrown, or its response returned. */
export function patient(send: typeof fetch, retryMs: number = RETRY_MS): typeof fetch {
  return async (input, init) => {
    for (let attempt = 1; ; attempt++) {
      const isLast = attempt === ATTEMPTS || init?.signal?.aborted === true;
      let wait = retryMs * 4 ** (attempt - 1);
      try {
        const response = await send(input, init);
        if (isLast || !isBusy(response)) return response;
        wait = askedWait(response) ?? wait;
        await response.body?.cancel();
      } catch (error) {
        if (isLast) throw error;
      }
      await rest(wait, init?.signal);
    }
  };
}
