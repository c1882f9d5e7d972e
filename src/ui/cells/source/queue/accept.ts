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
  if (bytes === 0) return `"${name}" is empty; there is nothing to read in it.`;
  if (bytes > MAX_BYTES)
    return `"${name}" has ${Math.round(bytes / 2 ** 20)} MB; at most ${MAX_BYTES / 2 ** 20} MB are read at once. Split it.`;
  return null;
}

/** The name of a pasted text: its first words, so that two pastes can be told apart. */
export function pastedName(text: string): string {
  const words = text
    .replace(/[\p{C}\p{Z}/\\<>:"|?*]+/gu, " ")
    .trim()
    .slice(0, NAME_CHARACTERS)
    .replace(/[\s.,;:!]+$/u, "");
  return `Pasted: ${words || "text"}.txt`;
}

const NAME_CHARACTERS = 40;
const MAX_BYTES = 256 * 2 ** 20;
