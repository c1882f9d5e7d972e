/** @file Navigation from a fact to its sentence: the source cell that shows the document scrolls to the offset. */

import { useEffect, useState } from "react";
import type { DocumentId } from "../../records/ids.ts";

export interface SentenceTarget {
  readonly documentId: DocumentId;
  readonly offset: number;
}

/** Gives whether it shows the document. */
type Listener = (target: SentenceTarget) => boolean;
const listeners = new Set<Listener>();

/** Brings a sentence into view in the source cell that has its document; false when no cell on the page has it. */
export function openSentence(documentId: DocumentId, offset: number): boolean {
  return [...listeners].some((listen) => listen({ documentId, offset }));
}

/** The latest requested sentence among `documents`; `onOpen` is called first, e.g. to select the document. */
export function useSentenceTarget(
  documents: readonly { readonly id: DocumentId }[],
  onOpen: (id: DocumentId) => void,
): SentenceTarget | null {
  const [target, setTarget] = useState<SentenceTarget | null>(null);
  useEffect(() => {
    const listen: Listener = (asked) => {
      if (!documents.some(({ id }) => id === asked.documentId)) return false;
      onOpen(asked.documentId);
      setTarget(asked);
      return true;
    };
    listeners.add(listen);
    return () => {
      listeners.delete(listen);
    };
  }, [documents, onOpen]);
  return target;
}
