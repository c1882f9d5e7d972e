/**
 * @file SHA-256 (FIPS 180-4), incremental, in plain arithmetic: Web Crypto hashes only what is whole in memory
 * and only asynchronously, and weights are neither. 100-200 MB/s on one core.
 */

// The pure folders compile without the DOM library; every host has this global.
declare const TextEncoder: new () => { encode(text: string): Uint8Array };
declare const crypto: {
  getRandomValues(bytes: Uint8Array): Uint8Array;
  readonly subtle: { digest(name: "SHA-256", bytes: Uint8Array): Promise<ArrayBuffer> };
};

/** A running SHA-256. */
export interface Hasher {
  /** Takes in more bytes; they are copied, the caller may reuse the array. */
  update(bytes: Uint8Array): void;
  /** Ends the hash and gives 64 lower-case hex digits; a second call or a later update throws. */
  hex(): string;
}

const BLOCK = 64;

/** Starts a SHA-256. */
export function createSha256(): Hasher {
  const state = Int32Array.from(INITIAL);
  const schedule = new Int32Array(64);
  const pending = new Uint8Array(BLOCK);
  let held = 0;
  let length = 0;
  let done = false;

  function absorb(bytes: Uint8Array): void {
    let at = 0;
    if (held > 0) {
      at = Math.min(BLOCK - held, bytes.length);
      pending.set(bytes.subarray(0, at), held);
      held += at;
      if (held < BLOCK) return;
      compress(state, schedule, pending, 0);
      held = 0;
    }
    for (; at + BLOCK <= bytes.length; at += BLOCK) compress(state, schedule, bytes, at);
    pending.set(bytes.subarray(at), 0);
    held = bytes.length - at;
  }

  return {
    update(bytes) {
      if (done) throw new Error("hash: update after hex(); start a new hash");
      length += bytes.length;
      absorb(bytes);
    },
    hex() {
      if (done) throw new Error("hash: hex() was called before; start a new hash");
      done = true;
      absorb(padding(length));
      return [...state].map((word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
    },
  };
}

/** Bytes of a text in UTF-8. */
export const utf8Length = (text: string): number => encoder.encode(text).length;
const encoder = new TextEncoder();

/** So many random bytes as hex digits. */
export const randomHex = (bytes: number): string => hex(crypto.getRandomValues(new Uint8Array(bytes)));

const hex = (bytes: Uint8Array): string => [...bytes].map((b) => b.toString(16).padStart(2, "0")).join("");

/** SHA-256 of bytes that are whole in memory, by the host's own code, which is several times faster: 64 hex digits. */
export const digestHex = async (bytes: Uint8Array): Promise<string> =>
  hex(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));

/** SHA-256 of bytes, or of a text in UTF-8, as 64 hex digits. */
export function sha256Hex(data: Uint8Array | string): string {
  const hasher = createSha256();
  hasher.update(typeof data === "string" ? new TextEncoder().encode(data) : data);
  return hasher.hex();
}

/** The bit 1, zeros up to 8 bytes before a block's end, the length in bits as a big-endian 64-bit number. */
function padding(length: number): Uint8Array {
  const tail = new Uint8Array((length % BLOCK < 56 ? BLOCK : 2 * BLOCK) - (length % BLOCK));
  tail[0] = 0x80;
  const view = new DataView(tail.buffer);
  view.setUint32(tail.length - 8, Math.floor(length / 0x2000_0000));
  view.setUint32(tail.length - 4, (length * 8) >>> 0);
  return tail;
}

/** One round of the compression function over bytes[at, at + 64); letters as in FIPS 180-4 section 6.2.2. */
function compress(state: Int32Array, w: Int32Array, bytes: Uint8Array, at: number): void {
  expand(w, bytes, at);
  let a = state[0]!;
  let b = state[1]!;
  let c = state[2]!;
  let d = state[3]!;
  let e = state[4]!;
  let f = state[5]!;
  let g = state[6]!;
  let h = state[7]!;
  for (let t = 0; t < 64; t++) {
    const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + K[t]! + w[t]!) | 0;
    const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + t1) | 0;
    d = c;
    c = b;
    b = a;
    a = (t1 + t2) | 0;
  }
  state[0]! += a;
  state[1]! += b;
  state[2]! += c;
  state[3]! += d;
  state[4]! += e;
  state[5]! += f;
  state[6]! += g;
  state[7]! += h;
}

function expand(w: Int32Array, bytes: Uint8Array, at: number): void {
  for (let t = 0, p = at; t < 16; t++, p += 4) {
    w[t] = (bytes[p]! << 24) | (bytes[p + 1]! << 16) | (bytes[p + 2]! << 8) | bytes[p + 3]!;
  }
  for (let t = 16; t < 64; t++) {
    const x = w[t - 15]!;
    const y = w[t - 2]!;
    const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
    const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
    w[t] = w[t - 16]! + s0 + w[t - 7]! + s1;
  }
}

/** The first `count` primes. */
function primes(count: number): number[] {
  const found: number[] = [];
  for (let n = 2; found.length < count; n++) if (found.every((p) => n % p !== 0)) found.push(n);
  return found;
}

/** First 32 bits of the fraction of the root, computed exactly: ⌊n^(1/k) · 2^32⌋ mod 2^32. */
function rootFraction(n: number, k: 2 | 3): number {
  const target = BigInt(n) << BigInt(32 * k);
  let low = 0n;
  let high = 1n << 40n;
  while (high - low > 1n) {
    const middle = (low + high) >> 1n;
    if (middle ** BigInt(k) <= target) low = middle;
    else high = middle;
  }
  return Number(BigInt.asIntN(32, low));
}

const K = Int32Array.from(primes(64), (p) => rootFraction(p, 3));
const INITIAL = Int32Array.from(primes(8), (p) => rootFraction(p, 2));
