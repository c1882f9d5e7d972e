/** @file Signatures of memory files: ECDSA over P-256 with SHA-256. The browser cannot export the stored private key. */

import { deleteDB, openDB, type DBSchema } from "idb";
import { hexBytes } from "../lib/hash.ts";
import { object, text, type Infer } from "../lib/check.ts";

export type Signature = Infer<typeof signatureShape>;
export const signatureShape = object({
  /** The public key as an uncompressed point: 65 bytes in hex. */
  key: text(),
  /** r and s: 64 bytes in hex. */
  value: text(),
});

export interface SigningKey {
  readonly privateKey: CryptoKey;
  readonly key: string;
}

const ECDSA = { name: "ECDSA", namedCurve: "P-256" } as const;
const SIGN = { name: "ECDSA", hash: "SHA-256" } as const;

const hexOf = (bytes: ArrayBuffer): string =>
  Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, "0")).join("");

/** The signed text: the manifest's checksum, which covers the root, the deletion records and the checksum of every file. */
const signedText = (check: string): Uint8Array<ArrayBuffer> =>
  new TextEncoder().encode(`palimpsest-archive ${check}`);

export async function makeSigningKey(extractable = false): Promise<SigningKey> {
  const { privateKey, publicKey } = await crypto.subtle.generateKey(ECDSA, extractable, ["sign", "verify"]);
  return { privateKey, key: hexOf(await crypto.subtle.exportKey("raw", publicKey)) };
}

export const sign = async ({ privateKey, key }: SigningKey, check: string): Promise<Signature> => ({
  key,
  value: hexOf(await crypto.subtle.sign(SIGN, privateKey, signedText(check))),
});

export async function isSigned({ key, value }: Signature, check: string): Promise<boolean> {
  try {
    const imported = await crypto.subtle.importKey("raw", bytesOf(key), ECDSA, false, ["verify"]);
    return await crypto.subtle.verify(SIGN, imported, bytesOf(value), signedText(check));
  } catch {
    return false;
  }
}

const bytesOf = (hex: string): Uint8Array<ArrayBuffer> => Uint8Array.from(hexBytes(hex));

export const fingerprint = (key: string): string => key.slice(2, 18).replace(/(.{4})(?=.)/g, "$1 ");

interface KeySchema extends DBSchema {
  keys: { key: string; value: SigningKey };
}

const OWN = "own";

export async function keptSigningKey(database: string): Promise<SigningKey | null> {
  const connection = await openKeys(database);
  const found = await connection.get("keys", OWN);
  connection.close();
  return found ?? null;
}

export async function keepSigningKey(database: string): Promise<SigningKey> {
  const made = (await keptSigningKey(database)) ?? (await makeSigningKey());
  const connection = await openKeys(database);
  await connection.put("keys", made, OWN);
  connection.close();
  return made;
}

export const removeSigningKey = (database: string): Promise<void> => deleteDB(nameOf(database));

const nameOf = (database: string): string => `${database}-key`;

const openKeys = (database: string) =>
  openDB<KeySchema>(nameOf(database), 1, { upgrade: (one) => void one.createObjectStore("keys") });
