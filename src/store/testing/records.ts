/** @file Documents and runs made for tests. */

import { sha256Hex } from "../../lib/hash.ts";
import { documentId } from "../../records/ids.ts";
import type { StoredDocument, StoredRun } from "../schema.ts";

export function documentOfText(title: string, text: string, added = "2026-01-01T00:00:00Z"): StoredDocument {
  return {
    id: documentId(sha256Hex(text)),
    title,
    format: "txt",
    encoding: "utf-8",
    characters: text.length,
    pages: null,
    notes: [],
    added,
  };
}

export function makeRun(id: string, notebookId: string, created = "2026-01-01T00:00:00Z"): StoredRun {
  return { id, notebookId, created, header: { backend: "wasm" } };
}
