/** @file What reading a file gives, and what each format's reader gives to `readFile`. */

import type { CharOffset } from "../../records/ids.ts";
import type { Document } from "../../records/source.ts";

export type FileFormat = "txt" | "md" | "csv" | "html" | "pdf" | "epub" | "docx" | "eml";

export interface PageStart {
  /** Counted from 1, as viewers do; not the printed page number. */
  readonly page: number;
  readonly start: CharOffset;
}

export interface ReadFile extends Omit<Extracted, "text" | "title"> {
  readonly document: Document;
  readonly format: FileFormat;
}

export interface ReadOptions {
  readonly encoding?: string;
  readonly withoutCopyright?: boolean;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: (done: number, total: number) => void;
}

export interface Extracted {
  readonly text: string;
  readonly title?: string;
  /** Formats that are bytes of text only; a label of the Encoding Standard. */
  readonly encoding?: string;
  /** Sentences for the user about what was assumed or left out; often empty. */
  readonly notes: readonly string[];
  /** PDF only; in rising order of `start`. Pages without text start where the next one does. */
  readonly pages?: readonly PageStart[];
}

export type Reader = (bytes: Uint8Array, name: string, options: ReadOptions) => Promise<Extracted>;

export const listNote = (head: string, parts: readonly string[]): string[] =>
  parts.length === 0 ? [] : [[`${head} (${parts.length}).`, ...parts.slice(0, MOST_LISTED)].join("\n")];

const MOST_LISTED = 200;
