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
  /** The name that the writing tab gave itself; null until it answers. */
  readonly who: string | null;
  /** The cell that the writing tab runs; null if none. */
  readonly running: string | null;
}

export interface WriterLock extends WriterState {
  takeOver(): Promise<void>;
  saved(id: string): void;
  /** To be called when the writing tab begins or ends a run. */
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

/** Becomes the writer of `name` if no other tab is, otherwise a waiting reader. */
export async function holdWriterLock(name: string, options: WriterOptions): Promise<WriterLock> {
  const tab = new Tab(name, options);
  await tab.begin();
  return tab;
}

const isSame = (a: WriterState, b: WriterState): boolean =>
  a.state === b.state && a.who === b.who && a.running === b.running;

class Tab implements WriterLock {
  readonly #name: string;
  readonly #options: Pick<WriterOptions, "who" | "running" | "onChange" | "onSaved" | "onLost">;
  readonly #locks: LockPort;
  readonly #channel: ChannelPort;
  readonly #waiting = new AbortController();
  #now: WriterState = { state: "reader", who: null, running: null };
  #letGo: (() => void) | undefined;
  #released = false;

  constructor(
    name: string,
    {
      locks = (navigator as { locks?: LockPort }).locks ?? ALONE,
      channel = new BroadcastChannel(`palimpsest ${name}`),
      ...options
    }: WriterOptions,
  ) {
    this.#name = name;
    this.#options = options;
    this.#locks = locks;
    this.#channel = channel;
    channel.addEventListener("message", ({ data }) => this.#hear(data as Message));
  }

  get state(): WriterState["state"] {
    return this.#now.state;
  }

  get who(): WriterState["who"] {
    return this.#now.who;
  }

  get running(): WriterState["running"] {
    return this.#now.running;
  }

  async begin(): Promise<void> {
    if (await this.#ask({ ifAvailable: true })) return;
    this.#post({ kind: "who" });
    this.#queueUp();
  }

  async takeOver(): Promise<void> {
    if (this.state === "reader" && !this.#released) await this.#ask({ steal: true });
  }

  saved(id: string): void {
    if (this.state === "writer" && !this.#released) this.#post({ kind: "saved", id });
  }

  tell(): void {
    if (this.state === "writer" && !this.#released) this.#post(this.#me());
  }

  release(): void {
    this.#released = true;
    this.#waiting.abort();
    this.#letGo?.();
    this.#channel.close();
  }

  #hear(message: Message): void {
    if (this.#released) return;
    if (this.state === "writer") {
      if (message.kind === "who") this.#post(this.#me());
    } else if (message.kind === "me")
      this.#become({ state: "reader", who: message.who, running: message.running });
    else if (message.kind === "saved") this.#options.onSaved?.(message.id);
  }

  #me(): Message {
    return { kind: "me", who: this.#options.who(), running: this.#options.running?.() ?? null };
  }

  #post(message: Message): void {
    this.#channel.postMessage(message);
  }

  #become(next: WriterState): void {
    if (this.#released || isSame(next, this.#now)) return;
    this.#now = next;
    this.#options.onChange?.(next);
  }

  /** Requests the lock; resolves to whether it was granted, and later handles its loss. */
  #ask(options: Parameters<LockPort["request"]>[1]): Promise<boolean> {
    return new Promise((answer, refuse) => {
      let given = false;
      this.#locks
        .request(this.#name, options, async (lock) => {
          given = lock !== null;
          const held = given ? this.#hold() : Promise.resolve();
          answer(given);
          await held;
        })
        .catch((error: unknown) => {
          if (given) this.#lost();
          else if (this.#waiting.signal.aborted) answer(false);
          else refuse(error as Error);
        });
    });
  }

  #hold(): Promise<void> {
    this.#become({ state: "writer", who: this.#options.who(), running: null });
    if (!this.#released) this.#post(this.#me());
    return new Promise((resolve) => {
      this.#letGo = resolve;
      if (this.#released) resolve();
    });
  }

  #lost(): void {
    if (this.#released) return;
    this.#letGo = undefined;
    this.#become({ state: "reader", who: null, running: null });
    this.#options.onLost?.();
    this.#post({ kind: "who" });
    this.#queueUp();
  }

  #queueUp(): void {
    this.#ask({ signal: this.#waiting.signal }).catch(() => undefined);
  }
}
