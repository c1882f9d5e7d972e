/**
 * @file Bytes sealed with a secret (AES-256-GCM): without it they say nothing, and what was changed since does not open.
 * Web Crypto does the work; pages without a secure context have none.
 */

const NONCE_BYTES = 12;

/** `bytes` under the 32 bytes of `secret`, bound to `name`: nonce, then ciphertext with its tag. */
export async function seal(
  bytes: Uint8Array<ArrayBuffer>,
  secret: Uint8Array<ArrayBuffer>,
  name: string,
): Promise<Uint8Array<ArrayBuffer>> {
  // Another one each time: what is made anew under the same secret need not be the same.
  const nonce = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
  const sealed = await crypto.subtle.encrypt(settings(nonce, name), await keyOf(secret, "encrypt"), bytes);
  const whole = new Uint8Array(NONCE_BYTES + sealed.byteLength);
  whole.set(nonce);
  whole.set(new Uint8Array(sealed), NONCE_BYTES);
  return whole;
}

/** What {@link seal} was given; undefined where the secret or the name is another, or a bit was changed. */
export async function unseal(
  sealed: Uint8Array<ArrayBuffer>,
  secret: Uint8Array<ArrayBuffer>,
  name: string,
): Promise<Uint8Array | undefined> {
  const nonce = sealed.slice(0, NONCE_BYTES);
  const body = sealed.slice(NONCE_BYTES);
  try {
    const key = await keyOf(secret, "decrypt");
    return new Uint8Array(await crypto.subtle.decrypt(settings(nonce, name), key, body));
  } catch {
    return undefined;
  }
}

const settings = (iv: Uint8Array<ArrayBuffer>, name: string): AesGcmParams => ({
  name: "AES-GCM",
  iv,
  additionalData: new TextEncoder().encode(name),
});

const keyOf = (secret: Uint8Array<ArrayBuffer>, use: "encrypt" | "decrypt"): Promise<CryptoKey> =>
  crypto.subtle.importKey("raw", secret, "AES-GCM", false, [use]);
