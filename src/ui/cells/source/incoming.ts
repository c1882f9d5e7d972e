/** @file Which files a source cell reads, and what a pasted text is called. */

import { toast } from "../../controls/page.ts";

/** The `accept` attribute of the file input; browsers know some by type only. The library looks into the bytes. */
export const ACCEPT =
  ".txt,.md,.markdown,.html,.htm,.xhtml,.pdf,.epub,.docx," +
  "text/plain,text/markdown,text/html,application/pdf,application/epub+zip";

const MODEL_FILE = /\.(safetensors|onnx|onnx_data|gguf|bin)$/i;

export function refusal(name: string, bytes: number): string | null {
  if (MODEL_FILE.test(name))
    return `"${name}" is a file of a model; drop it on the model cell, this one takes texts.`;
  if (bytes > MAX_BYTES)
    return `"${name}" has ${Math.round(bytes / 2 ** 20)} MB; at most ${MAX_BYTES / 2 ** 20} MB are read at once. Split it.`;
  return null;
}

/** The name of a pasted text: its length, none of its words, because the name outlives the text. */
export function pastedName(text: string): string {
  const words = text.match(/[\p{L}\p{N}]+/gu)?.length ?? 0;
  return `Pasted, ${words} ${words === 1 ? "word" : "words"}.txt`;
}

const MAX_BYTES = 256 * 2 ** 20;

export function accepted<F extends { readonly name: string; readonly file: Blob }>(files: readonly F[]): F[] {
  const refused = files.flatMap(({ name, file }) => refusal(name, file.size) ?? []);
  if (refused.length > 0) toast.failed(refused.join(" "));
  return files.filter(({ name, file }) => refusal(name, file.size) === null);
}
