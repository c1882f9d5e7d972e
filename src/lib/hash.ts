/** @file SHA-256. The incremental hash is for weights: Web Crypto hashes only whole arrays. */

import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, hexToBytes, utf8ToBytes } from "@noble/hashes/utils.js";

// The pure folders compile without the DOM library; every host has this global.
declare const crypto: {
  getRandomValues(bytes: Uint8Array): Uint8Array;
  readonly subtle: { digest(name: "SHA-256", bytes: Uint8Array): Promise<ArrayBuffer> };
};

export interface Hasher {
  /** The bytes are copied, so the caller may reuse the array. */
  update(bytes: Uint8Array): void;
  /** Ends the hash; a second call or a later update throws. */
  hex(): string;
}

export function createSha256(): Hasher {
  const hash = sha256.create();
  return {
    update: (bytes) => void hash.update(bytes),
    hex: () => bytesToHex(hash.digest()),
  };
}

export const utf8Bytes = (text: string): Uint8Array => utf8ToBytes(text);

/** @throws unless `hex` is an even number of hex digits */
export const hexBytes = (hex: string): Uint8Array => hexToBytes(hex);

export const hexOf = (bytes: ArrayBuffer): string => bytesToHex(new Uint8Array(bytes));

export const utf8Length = (text: string): number => utf8ToBytes(text).length;

export const randomHex = (bytes: number): string => bytesToHex(crypto.getRandomValues(new Uint8Array(bytes)));

/** SHA-256 of whole bytes by the host, which is several times faster: 64 hex digits. */
export const digestHex = async (bytes: Uint8Array): Promise<string> =>
  hexOf(await crypto.subtle.digest("SHA-256", bytes));

export const sha256Hex = (data: Uint8Array | string): string =>
  bytesToHex(sha256(typeof data === "string" ? utf8ToBytes(data) : data));
