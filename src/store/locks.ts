/** @file One writing tab: a Web Lock decides which tab may write, a channel announces what that tab shows. */

export interface LockPort {
  request(
    name: string,
    options: { ifAvailable?: boolean; steal?: boolean },
    held: (lock: object | null) => Promise<void>,
  ): Promise<unknown>;
}

export interface ChannelPort {
  postMessage(message: unknown): void;
  addEventListener(type: "message", listener: (event: { readonly data: unknown }) => void): void;
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
  let now: WriterState = { state: "reader", who: null, running: null };
  const post = (message: Message): void => channel.postMessage(message);
  const me = (): Message => ({ kind: "me", who: options.who(), running: options.running?.() ?? null });
  const isWriter = (): boolean => now.state === "writer";
  const become = (next: WriterState): void => {
    if (next.state === now.state && next.who === now.who && next.running === now.running) return;
    now = next;
    options.onChange?.(next);
  };
  /** Holds the lock until the tab closes, or another one takes it over. */
  const hold = (): Promise<void> => {
    become({ state: "writer", who: options.who(), running: null });
    post(me());
    return new Promise(() => undefined);
  };
  const queueUp = (): void => void ask({}).catch(() => undefined);
  const lost = (): void => {
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
          else refuse(error as Error);
        });
    });
  channel.addEventListener("message", ({ data }) => {
    const message = data as Message;
    if (isWriter()) {
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
      if (!isWriter()) await ask({ steal: true });
    },
    saved: (id) => void (isWriter() && post({ kind: "saved", id })),
    tell: () => void (isWriter() && post(me())),
  };
}
