/** @file One writing tab: a Web Lock decides which tab may write, a channel announces what that tab shows. */

export interface LockPort {
  request(
    name: string,
    options: { ifAvailable?: boolean; steal?: boolean; signal?: AbortSignal },
    held: (lock: object | null) => Promise<void>,
  ): Promise<unknown>;
}

export interface ChannelPort {
  postMessage(message: unknown): void;
  addEventListener(type: "message", listener: (event: { readonly data: unknown }) => void): void;
  close(): void;
}

export interface WriterState {
  readonly state: "writer" | "reader";
  readonly who: string | null;
  readonly running: string | null;
}

export interface WriterLock {
  now(): WriterState;
  takeOver(): Promise<void>;
  saved(id: string): void;
  tell(): void;
  release(): void;
}

export interface WriterOptions {
  readonly who: () => string;
  readonly running?: () => string | null;
  readonly onChange?: (now: WriterState) => void;
  readonly onSaved?: (id: string) => void;
  readonly onLost?: () => void;
  readonly locks?: LockPort;
  readonly channel?: ChannelPort;
}

/** For pages without locks (not a secure context): every tab may write, and the store detects conflicts. */
const ALONE: LockPort = { request: (_, __, held) => held({}) };

type Message =
  | { readonly kind: "who" }
  | { readonly kind: "me"; readonly who: string; readonly running: string | null }
  | { readonly kind: "saved"; readonly id: string };

export async function holdWriterLock(
  name: string,
  {
    locks = (navigator as { locks?: LockPort }).locks ?? ALONE,
    channel = new BroadcastChannel(`palimpsest ${name}`),
    ...options
  }: WriterOptions,
): Promise<WriterLock> {
  const waiting = new AbortController();
  let now: WriterState = { state: "reader", who: null, running: null };
  let letGo: (() => void) | undefined;
  let released = false;
  const post = (message: Message): void => channel.postMessage(message);
  const me = (): Message => ({ kind: "me", who: options.who(), running: options.running?.() ?? null });
  const isWriter = (): boolean => now.state === "writer" && !released;
  const become = (next: WriterState): void => {
    if (released || (next.state === now.state && next.who === now.who && next.running === now.running))
      return;
    now = next;
    options.onChange?.(next);
  };
  const hold = (): Promise<void> => {
    become({ state: "writer", who: options.who(), running: null });
    if (!released) post(me());
    return new Promise((resolve) => {
      letGo = resolve;
      if (released) resolve();
    });
  };
  const queueUp = (): void => void ask({ signal: waiting.signal }).catch(() => undefined);
  const lost = (): void => {
    if (released) return;
    letGo = undefined;
    become({ state: "reader", who: null, running: null });
    options.onLost?.();
    post({ kind: "who" });
    queueUp();
  };
  /** Requests the lock; resolves to whether it was granted, and later handles its loss. */
  const ask = (request: Parameters<LockPort["request"]>[1]): Promise<boolean> =>
    new Promise((answer, refuse) => {
      let given = false;
      locks
        .request(name, request, async (lock) => {
          given = lock !== null;
          const held = given ? hold() : Promise.resolve();
          answer(given);
          await held;
        })
        .catch((error: unknown) => {
          if (given) lost();
          else if (waiting.signal.aborted) answer(false);
          else refuse(error as Error);
        });
    });
  channel.addEventListener("message", ({ data }) => {
    const message = data as Message;
    if (released) return;
    if (now.state === "writer") {
      if (message.kind === "who") post(me());
    } else if (message.kind === "me") become({ state: "reader", who: message.who, running: message.running });
    else if (message.kind === "saved") options.onSaved?.(message.id);
  });
  if (!(await ask({ ifAvailable: true }))) {
    post({ kind: "who" });
    queueUp();
  }
  return {
    now: () => now,
    async takeOver() {
      if (now.state === "reader" && !released) await ask({ steal: true });
    },
    saved: (id) => void (isWriter() && post({ kind: "saved", id })),
    tell: () => void (isWriter() && post(me())),
    release() {
      released = true;
      waiting.abort();
      letGo?.();
      channel.close();
    },
  };
}
