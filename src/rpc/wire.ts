/** @file Messages between a page and a worker. A service is an interface of methods with one argument and a {@link Call}. */

export interface Call<Progress = never> {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  readonly transfer?: readonly Transferable[];
}

// oxlint-disable-next-line typescript/no-explicit-any -- the one place where methods of all kinds meet
export type Service<S> = { readonly [K in keyof S]: (argument: any, call?: Call<any>) => Promise<unknown> };

export type Request =
  | { readonly kind: "call"; readonly id: number; readonly method: string; readonly argument: unknown }
  | { readonly kind: "cancel"; readonly id: number };

export type Reply =
  | { readonly kind: "ready" }
  /** What begins now may never end: without a "free" within so many milliseconds the worker is to be stopped. */
  | { readonly kind: "busy"; readonly what: string; readonly milliseconds: number }
  | { readonly kind: "free" }
  | { readonly kind: "progress"; readonly id: number; readonly progress: unknown }
  | { readonly kind: "result"; readonly id: number; readonly value: unknown }
  | { readonly kind: "failure"; readonly id: number; readonly error: WireError };

/** An error as it crosses: callers branch on `name`, developers read the stack of the worker. */
export type WireError = ReturnType<typeof toWire>;

/** The part of Worker, MessagePort and the worker's global scope that both ends use. */
export interface Port {
  postMessage(message: unknown, transfer?: Transferable[]): void;
  addEventListener(type: "message", listener: (event: MessageEvent) => void): void;
  removeEventListener(type: "message", listener: (event: MessageEvent) => void): void;
}

export function toWire(error: unknown) {
  if (!(error instanceof Error)) return { name: "Error", message: String(error), stack: "" };
  return { name: error.name, message: error.message, stack: error.stack ?? "" };
}

export function fromWire({ name, message, stack }: WireError): Error {
  const error = new Error(message);
  error.name = name;
  if (stack) error.stack = stack;
  return error;
}
