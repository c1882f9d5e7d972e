/** @file Which files the source cell takes, and what a pasted text is called. */

/** Extensions that the library worker has a reader for; it looks into the bytes, not at the name alone. */
export const EXTENSIONS = [".txt", ".md", ".html", ".pdf", ".epub", ".docx"] as const;

/** The `accept` attribute of the file input; browsers know some of these by type only. */
export const ACCEPT = [
  ...EXTENSIONS,
  ".markdown",
  ".htm",
  ".xhtml",
  "text/plain",
  "text/markdown",
  "text/html",
  "application/pdf",
  "application/epub+zip",
].join(",");

/** Files of a model, which people drop on the wrong cell. */
const MODEL_FILE = /\.(safetensors|onnx|onnx_data|gguf|bin)$/i;

/** Why a file is not even tried; null when it may be read. */
export function refusal(name: string, bytes: number): string | null {
  if (MODEL_FILE.test(name))
    return `"${name}" is a file of a model; drop it on the model cell, this one takes texts.`;
  if (bytes > MAX_BYTES)
    return `"${name}" has ${Math.round(bytes / 2 ** 20)} MB; at most ${MAX_BYTES / 2 ** 20} MB are read at once. Split it.`;
  return null;
}

/** The name of a pasted text. It says how long it is and none of its words: the name outlives the text. */
export function pastedName(text: string): string {
  const words = text.match(/[\p{L}\p{N}]+/gu)?.length ?? 0;
  return `Pasted, ${words} ${words === 1 ? "word" : "words"}.txt`;
}

const MAX_BYTES = 256 * 2 ** 20;
