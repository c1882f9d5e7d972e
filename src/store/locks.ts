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
export async function holdWriterLock(name: string, options: WriterOptions): Promise<WriterLock> {
  const tab = new Tab(name, options);
  await tab.begin();
  return tab;
}

/** This tab among those of one name. */
class Tab implements WriterLock {
  readonly #name: string;
  readonly #told: Pick<WriterOptions, "who" | "onChange" | "onSaved" | "onLost">;
  readonly #locks: LockPort;
  readonly #channel: ChannelPort;
  readonly #waiting = new AbortController();
  #now: WriterState = { state: "reader", who: null };
  #letGo: (() => void) | undefined;
  #released = false;

  constructor(
    name: string,
    {
      locks = (navigator as { locks?: LockPort }).locks ?? ALONE,
      channel = new BroadcastChannel(`palimpsest ${name}`),
      ...told
    }: WriterOptions,
  ) {
    this.#name = name;
    this.#told = told;
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

  async begin(): Promise<void> {
    if (await this.#ask({ ifAvailable: true })) return;
    this.#say({ kind: "who" });
    this.#queueUp();
  }

  async takeOver(): Promise<void> {
    if (this.state === "reader" && !this.#released) await this.#ask({ steal: true });
  }

  saved(id: string): void {
    if (this.state === "writer" && !this.#released) this.#say({ kind: "saved", id });
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
      if (message.kind === "who") this.#say({ kind: "me", who: this.#told.who() });
    } else if (message.kind === "me") this.#become({ state: "reader", who: message.who });
    else if (message.kind === "saved") this.#told.onSaved?.(message.id);
  }

  #say(message: Message): void {
    this.#channel.postMessage(message);
  }

  #become(next: WriterState): void {
    if (this.#released || (next.state === this.state && next.who === this.who)) return;
    this.#now = next;
    this.#told.onChange?.(next);
  }

  /** Asks for the lock; resolves to whether it was given, and later follows its loss. */
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

  /** Held until `#letGo`; what the others see changes with it. */
  #hold(): Promise<void> {
    const who = this.#told.who();
    this.#become({ state: "writer", who });
    if (!this.#released) this.#say({ kind: "me", who });
    return new Promise((resolve) => {
      this.#letGo = resolve;
      if (this.#released) resolve();
    });
  }

  #lost(): void {
    if (this.#released) return;
    this.#letGo = undefined;
    this.#become({ state: "reader", who: null });
    this.#told.onLost?.();
    this.#say({ kind: "who" });
    this.#queueUp();
  }

  /** The turn comes when the writer closes; if it never does, takeOver remains. */
  #queueUp(): void {
    this.#ask({ signal: this.#waiting.signal }).catch(() => undefined);
  }
}
