/** @file E-mails (.eml) -> the lines of their head that people read, and their text, or that of their page if it is much longer. */

import { assert, messageOf } from "../../lib/assert.ts";
import { decodeText, decodeUtf8 } from "../text.ts";
import { tidyText } from "../tidy.ts";
import { htmlToText } from "./html.ts";
import { listNote, type Reader } from "./types.ts";

/** @throws {Error} naming the file if it does not begin like an e-mail, or cannot be read */
export const readEml: Reader = async (bytes, name, { encoding }) => {
  const { default: PostalMime, decodeWords } = await import("postal-mime");
  // Eight-bit text of an encoding that no part declares would be read as broken UTF-8.
  const guessed = isUndeclared(bytes, name) ? await decodeText(bytes, name, { chosen: encoding }) : null;
  const email = await PostalMime.parse(guessed?.text ?? bytes).catch((error: unknown) => {
    throw new Error(
      `ingest: "${name}" is not a readable e-mail (${messageOf(error)}); save its text as .txt and choose that`,
      { cause: error },
    );
  });
  const { headers, text = "", html = "", subject = "", attachments } = email;
  const head = HEAD.flatMap(([key, label]) => {
    const value = headers.find((one) => one.key === key)?.value.trim() ?? "";
    return value === "" ? [] : [`${label}: ${decodeWords(value)}`];
  });
  assert(
    headers.some(({ key }) => OF_AN_EMAIL.test(key)),
    () =>
      `ingest: "${name}" does not begin like an e-mail; if it is a text, name it .txt and choose it again`,
  );
  const page = html === "" ? "" : (await htmlToText(html)).text;
  // Some programs put only a line into the plain text: that the page must be looked at.
  const body = page.length > MUCH_LONGER * text.trim().length ? page : tidyText(text).trim();
  const left = attachments.map(({ filename, mimeType }) => filename ?? mimeType);
  return {
    text: [head.join("\n"), body].filter(Boolean).join("\n\n"),
    title: subject,
    notes: [...(guessed?.notes ?? []), ...listNote(`"${name}" has attachments, which were left out`, left)],
  };
};

const isUndeclared = (bytes: Uint8Array, name: string): boolean =>
  decodeUtf8(bytes, name) === null && !OTHER_CHARSET.test(new TextDecoder("latin1").decode(bytes));
const OTHER_CHARSET = /charset\s*=\s*"?(?!utf-?8|us-ascii)[\w-]/i;

const MUCH_LONGER = 2;
const OF_AN_EMAIL = /^(?:from|to|subject|date|received|mime-version|content-type)$/;
const HEAD = [
  ["from", "From"],
  ["to", "To"],
  ["cc", "Cc"],
  ["date", "Date"],
  ["subject", "Subject"],
] as const;
