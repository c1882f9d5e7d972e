/**
 * @file One writing tab: a Web Lock says who may write, a channel says what that tab shows. A tab that only reads
 * waits in line and becomes the writer when the writing one closes.
 */

/** The part of `navigator.locks` used here. */
export interface LockPort {
  request(
    name: string,
    options: { ifAvailable?: boolean; steal?: boolean; signal?: AbortSignal },
    held: (lock: object | null) => Promise<void>,
  ): Promise<unknown>;
}

/** A BroadcastChannel, or another way to reach the other tabs; what one posts, all others get. */
export interface ChannelPort {
  postMessage(message: unknown): void;
  addEventListener(type: "message", listener: (event: { readonly data: unknown }) => void): void;
  close(): void;
}

/** What this tab may do. */
export interface WriterState {
  readonly state: "writer" | "reader";
  /** What the writing tab said of itself; null until it answered, and while it does not. */
  readonly who: string | null;
}

export interface WriterLock extends WriterState {
  /** Makes this tab the writer at once; the other one becomes a reader and is told. */
  takeOver(): Promise<void>;
  /** Tells the reading tabs that the writer saved the notebook `id`. */
  saved(id: string): void;
  /** Lets go of the lock, or leaves the line. Nothing changes afterwards. */
  release(): void;
}

export interface WriterOptions {
  /** What this tab calls itself, such as the title of its notebook; asked for when it is needed. */
  readonly who: () => string;
  /** This tab became the writer or a reader, or the writer said who it is. */
  readonly onChange?: (now: WriterState) => void;
  /** The writing tab saved the notebook `id`; told to readers alone. */
  readonly onSaved?: (id: string) => void;
  /** Another tab took over: stop writing now. */
  readonly onLost?: () => void;
  readonly locks?: LockPort;
  readonly channel?: ChannelPort;
}

/** Where the browser has no locks (pages that are not secure): every tab may write, and the store finds out. */
const ALONE: LockPort = { request: (_, __, held) => held({}) };

type Message =
  | { readonly kind: "who" }
  | { readonly kind: "me"; readonly who: string }
  | { readonly kind: "saved"; readonly id: string };

/**
 * Becomes the writer of `name` where no other tab is, a reader in line where one is.
 * Resolves as soon as it is known which; `state` and `who` of the result follow what happens later.
 */
export async function holdWriterLock(
  name: string,
  {
    who,
    onChange,
    onSaved,
    onLost,
    locks = (navigator as { locks?: LockPort }).locks ?? ALONE,
    channel = new BroadcastChannel(`palimpsest ${name}`),
  }: WriterOptions,
): Promise<WriterLock> {
  let now: WriterState = { state: "reader", who: null };
  let letGo: (() => void) | undefined;
  const waiting = new AbortController();
  let released = false;

  function become(next: WriterState): void {
    if (released || (next.state === now.state && next.who === now.who)) return;
    now = next;
    onChange?.(next);
  }

  const say = (message: Message): void => channel.postMessage(message);
  channel.addEventListener("message", ({ data }) => {
    const message = data as Message;
    if (released) return;
    if (message.kind === "who" && now.state === "writer") say({ kind: "me", who: who() });
    if (message.kind === "me" && now.state === "reader") become({ state: "reader", who: message.who });
    if (message.kind === "saved" && now.state === "reader") onSaved?.(message.id);
  });

  /** Held until `letGo`; what the others see changes with it. */
  function hold(): Promise<void> {
    become({ state: "writer", who: who() });
    if (!released) say({ kind: "me", who: who() });
    return new Promise((resolve) => {
      letGo = resolve;
      if (released) resolve();
    });
  }

  /** Asks for the lock; resolves to whether it was given, and later follows its loss. */
  function ask(options: Parameters<LockPort["request"]>[1]): Promise<boolean> {
    return new Promise((answer, refuse) => {
      let given = false;
      locks
        .request(name, options, async (lock) => {
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
  }

  function lost(): void {
    if (released) return;
    letGo = undefined;
    become({ state: "reader", who: null });
    onLost?.();
    say({ kind: "who" });
    queueUp();
  }

  /** The turn comes when the writer closes; if it never does, takeOver remains. */
  function queueUp(): void {
    ask({ signal: waiting.signal }).catch(() => undefined);
  }

  if (!(await ask({ ifAvailable: true }))) {
    say({ kind: "who" });
    queueUp();
  }
  return {
    get state() {
      return now.state;
    },
    get who() {
      return now.who;
    },
    takeOver: async () => {
      if (now.state === "reader" && !released) await ask({ steal: true });
    },
    saved: (id) => {
      if (now.state === "writer" && !released) say({ kind: "saved", id });
    },
    release: () => {
      released = true;
      waiting.abort();
      letGo?.();
      channel.close();
    },
  };
}
