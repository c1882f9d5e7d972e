/** @file What can be deleted in one go from a selection: the facts themselves, their anchors', their documents'. */

import type { FactId } from "../../records/ids.ts";
import type { FactRow } from "../../records/notebook.ts";
import { keyText } from "../../records/fact.ts";
import { counted } from "../format.ts";

export interface DeletionChoice {
  readonly label: string;
  readonly note: string;
  readonly ids: readonly FactId[];
}

/** Facts in words: by its key when it is one. */
export const factsInWords = (rows: readonly FactRow[]): string =>
  rows.length === 1 ? keyText(rows[0]!) : counted(rows.length, "fact");

/** The choices for a selection, the smallest first; those that would delete the same facts are listed once. */
export function deletionChoices(
  selected: readonly FactRow[],
  all: readonly FactRow[],
  titleOf: (documentId: string) => string,
): readonly DeletionChoice[] {
  const anchors = new Set(selected.map(({ anchor }) => anchor));
  const documents = new Set(selected.map(({ documentId }) => documentId));
  const byAnchor = all.filter(({ anchor }) => anchors.has(anchor));
  const byDocument = all.filter(({ documentId }) => documents.has(documentId));
  const anchor = anchors.size === 1 ? `the anchor ${[...anchors][0]!}` : counted(anchors.size, "anchor");
  const document = documents.size === 1 ? titleOf([...documents][0]!) : counted(documents.size, "document");
  const choices = [
    { label: `${factsInWords(selected)}`, note: "what is selected", rows: selected },
    { label: `All facts of ${anchor}`, note: counted(byAnchor.length, "fact"), rows: byAnchor },
    { label: `All facts of ${document}`, note: counted(byDocument.length, "fact"), rows: byDocument },
  ];
  const earlier = (rows: readonly FactRow[], i: number): boolean =>
    choices.slice(0, i).some((choice) => sameFacts(choice.rows, rows));
  return choices
    .filter(({ rows }, i) => !earlier(rows, i))
    .map(({ label, note, rows }) => ({
      label,
      note,
      ids: rows.map(({ id }) => id),
    }));
}

function sameFacts(a: readonly FactRow[], b: readonly FactRow[]): boolean {
  const ids = new Set(a.map(({ id }) => id));
  return a.length === b.length && b.every(({ id }) => ids.has(id));
}
