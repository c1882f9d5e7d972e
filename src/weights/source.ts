/** @file Sources of weights: bytes of known size that can be read by ranges. URLs are in urlSource.ts, disk files in tools/node/nodeFile.ts. */

export interface ByteSource {
  readonly name: string;
  readonly size: number;
  /** Fills `into` from byte `start` on. Rejects if the range is outside the source or fewer bytes arrive. */
  readInto(start: number, into: Uint8Array, signal?: AbortSignal): Promise<void>;
  read(start: number, end: number, signal?: AbortSignal): Promise<Uint8Array>;
  close(): Promise<void>;
}

export function byteSource(raw: Omit<ByteSource, "read">): ByteSource {
  async function readInto(start: number, into: Uint8Array, signal?: AbortSignal): Promise<void> {
    checkRange(raw, start, start + into.length);
    if (into.length > 0) await raw.readInto(start, into, signal);
  }
  return {
    name: raw.name,
    size: raw.size,
    readInto,
    async read(start, end, signal) {
      checkRange(raw, start, end);
      const bytes = new Uint8Array(end - start);
      await readInto(start, bytes, signal);
      return bytes;
    },
    close: () => raw.close(),
  };
}

function checkRange({ name, size }: Pick<ByteSource, "name" | "size">, start: number, end: number): void {
  const whole = Number.isSafeInteger(start) && Number.isSafeInteger(end);
  if (!(whole && 0 <= start && start <= end && end <= size))
    throw new Error(
      `weights: ${name}: bytes [${start}, ${end}) asked for, but it has ${size}. This is a mistake of the caller.`,
    );
}

/** `source` with small reads of {@link AHEAD_BYTES} at once: a model has a hundred tensors of a few kilobytes. */
export function readingAhead(source: ByteSource): ByteSource {
  const { name, size } = source;
  let held: { readonly start: number; readonly bytes: Uint8Array } = NOTHING;
  return byteSource({
    name,
    size,
    async readInto(start, into, signal) {
      if (into.length >= AHEAD_BYTES) return source.readInto(start, into, signal);
      const end = start + into.length;
      let has = held;
      if (start < has.start || end > has.start + has.bytes.length) {
        has = { start, bytes: await source.read(start, Math.min(start + AHEAD_BYTES, size), signal) };
        held = has;
      }
      into.set(has.bytes.subarray(start - has.start, end - has.start));
    },
    close() {
      held = NOTHING;
      return source.close();
    },
  });
}

const AHEAD_BYTES = 2 ** 21;
const NOTHING = { start: 0, bytes: new Uint8Array(0) } as const;

export const blobSource = (blob: Blob, name: string): ByteSource =>
  byteSource({
    name,
    size: blob.size,
    async readInto(start, into) {
      const stream = blob.slice(start, start + into.length).stream();
      const filled = await fill(stream.getReader(), into);
      if (filled < into.length) throw shortRead(name, start, into.length, filled);
    },
    close: () => Promise.resolve(),
  });

/** Copies chunks into `into` until the stream ends, and returns the number of bytes; rejects when it is longer. */
export async function fill(
  reader: Pick<ReadableStreamDefaultReader<Uint8Array>, "read" | "cancel">,
  into: Uint8Array,
): Promise<number> {
  let at = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done || !value) return at;
    if (at + value.length > into.length) {
      await reader.cancel();
      throw new Error(`weights: more than the ${into.length} bytes asked for arrived`);
    }
    into.set(value, at);
    at += value.length;
  }
}

export const shortRead = (name: string, start: number, asked: number, got: number): Error =>
  new Error(
    `weights: ${name}: asked for ${asked} bytes at ${start}, got ${got}. The file changed or was cut off: open it again.`,
  );
