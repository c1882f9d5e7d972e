/** @file What the table does with facts, in terms of the app's actions. */

import { useMemo } from "react";
import type { FactId } from "../../records/ids.ts";
import type { FactRow } from "../../records/notebook.ts";
import { currentOf, useActions, useApp, useAppState, useCanWrite } from "../app.tsx";
import { toast } from "../controls/toasts.ts";
import { encodedAgainText } from "./words.ts";
import { openSentence } from "./openSentence.ts";
import { factsInWords } from "./words.ts";
import { showUndo } from "./UndoNotice.tsx";

export interface FactActions {
  readonly inspect: (id: FactId) => void;
  readonly openSentence: (row: FactRow) => void;
  /** Hidden at once, deleted permanently when the undo window ends. */
  readonly remove: (ids: readonly FactId[]) => void;
  /** Encodes facts once more, one after the other; stops at the first that fails. */
  readonly reencode: (ids: readonly FactId[]) => Promise<void>;
}

export function useFactActions(
  cellId: string,
  rows: readonly FactRow[],
  readOnly: string | null,
): FactActions {
  const actions = useActions();
  const state = useAppState();
  return useMemo(
    () => ({
      inspect(id) {
        actions.inspect({ kind: "fact", id });
      },
      openSentence(row) {
        // Where no source cell of the page has the document, the inspector shows what is known of the sentence.
        if (!openSentence(row.documentId, row.offset)) actions.inspect({ kind: "fact", id: row.id });
      },
      remove(ids) {
        if (readOnly !== null) {
          toast.said(readOnly);
          return;
        }
        const gone = new Set(ids);
        const what = factsInWords(rows.filter(({ id }) => gone.has(id)));
        showUndo(what, actions.deleteFacts(cellId, ids));
      },
      async reencode(ids) {
        const done = new Set<FactId>();
        for (const id of ids) {
          if (!(await actions.reencode(cellId, { id }))) break;
          done.add(id);
        }
        const { memory } = state();
        const notebook = currentOf(state())?.notebook;
        const now = memory.facts?.filter(({ id }) => done.has(id)) ?? [];
        if (notebook && now.length > 0) toast.said(encodedAgainText(notebook, now));
      },
    }),
    [actions, cellId, readOnly, rows, state],
  );
}

/** Why the memory cannot be changed now, as a sentence; null when it can. */
export function useReadOnly(): string | null {
  const canWrite = useCanWrite();
  const fromExample = useApp((state) => state.memory.fromExample);
  if (!canWrite) return "Another tab writes to this notebook; take over there to change the memory here.";
  if (fromExample)
    return "These facts are those of the saved example. Run all cells, and they are stored in this browser.";
  return null;
}
