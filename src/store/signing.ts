/** @file Signatures of memory files: ECDSA over P-256 with SHA-256. The browser cannot export the stored private key. */

import { deleteDB, openDB, type DBSchema } from "idb";
import { hexBytes, hexOf } from "../lib/hash.ts";
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

export const ECDSA = { name: "ECDSA", namedCurve: "P-256" } as const;
const SIGN = { name: "ECDSA", hash: "SHA-256" } as const;

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
    const imported = await crypto.subtle.importKey("raw", Uint8Array.from(hexBytes(key)), ECDSA, false, [
      "verify",
    ]);
    return await crypto.subtle.verify(SIGN, imported, Uint8Array.from(hexBytes(value)), signedText(check));
  } catch {
    return false;
  }
}

export const fingerprint = (key: string): string => key.slice(2, 18).replace(/(.{4})(?=.)/g, "$1 ");

interface KeySchema extends DBSchema {
  keys: { key: string; value: SigningKey };
}

/** The key of this browser, or null. @param keep true makes a missing key, false removes it */
export async function ownSigningKey(database: string, keep?: boolean): Promise<SigningKey | null> {
  const name = `${database}-key`;
  if (keep === false) {
    await deleteDB(name);
    return null;
  }
  const connection = await openDB<KeySchema>(name, 1, {
    upgrade: (one) => void one.createObjectStore("keys"),
  });
  try {
    const found = await connection.get("keys", "own");
    if (found || !keep) return found ?? null;
    const made = await makeSigningKey();
    await connection.put("keys", made, "own");
    return made;
  } finally {
    connection.close();
  }
}
