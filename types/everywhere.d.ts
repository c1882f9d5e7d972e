/**
 * What pages, workers and Node all have beside the language itself. The pure folders compile against this alone
 * (tsconfig.pure.json), so `document`, `indexedDB` or `process` in them is an error.
 */

declare class TextEncoder {
  encode(text: string): Uint8Array<ArrayBuffer>;
}

declare class TextDecoder {
  constructor(label?: string, options?: { fatal?: boolean; ignoreBOM?: boolean });
  readonly encoding: string;
  decode(bytes?: Uint8Array | ArrayBuffer, options?: { stream?: boolean }): string;
}

declare class URL {
  constructor(url: string, base?: string | URL);
  readonly href: string;
  readonly host: string;
  readonly pathname: string;
  readonly protocol: string;
}

declare class ReadableStream<T = unknown> {
  constructor(source?: { start?(controller: { enqueue(chunk: T): void; close(): void }): void });
  getReader(): {
    read(): Promise<{ done: false; value: T } | { done: true; value?: T }>;
    cancel(reason?: unknown): Promise<void>;
  };
  pipeThrough<U>(pair: { readable: ReadableStream<U>; writable: unknown }): ReadableStream<U>;
  [Symbol.asyncIterator](): AsyncIterator<T>;
}

declare class WritableStream<T = unknown> {
  constructor(sink?: { write?(chunk: T): void | Promise<void> });
  readonly locked: boolean;
}

declare class DecompressionStream {
  constructor(format: string);
  readonly readable: ReadableStream<Uint8Array<ArrayBuffer>>;
  readonly writable: WritableStream<Uint8Array>;
}

declare class Blob {
  constructor(parts?: readonly (Uint8Array | ArrayBuffer | string)[], options?: { type?: string });
  readonly size: number;
  arrayBuffer(): Promise<ArrayBuffer>;
  stream(): ReadableStream<Uint8Array<ArrayBuffer>>;
}

declare class MessageChannel {
  readonly port1: { onmessage: (() => void) | null; close(): void };
  readonly port2: { postMessage(message: unknown): void };
}
