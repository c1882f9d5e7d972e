/** @file Sentences and candidates of kept texts, asked of the library once per text and filter. */

import { useEffect, useState } from "react";
import type { TextMarks } from "../../../ingest/marks.ts";
import type { DocumentId } from "../../../records/ids.ts";
import type { LibraryService } from "../../../rpc/protocol.ts";
import { useServices } from "../../app.tsx";

type Filter = "strict" | "wide";

/** The newest few: marks of a long text take megabytes. */
const cache = new Map<string, Promise<TextMarks>>();
const KEPT = 12;

function marksOf(library: LibraryService, id: DocumentId, filter: Filter): Promise<TextMarks> {
  const key = `${id} ${filter}`;
  const known = cache.get(key);
  if (known) return known;
  const asked = library.marks({ id, filter });
  cache.set(key, asked);
  asked.catch(() => cache.delete(key));
  for (const old of [...cache.keys()].slice(0, Math.max(0, cache.size - KEPT))) cache.delete(old);
  return asked;
}

export interface MarksState {
  readonly marks: TextMarks | null;
  readonly problem: string | null;
}

const NONE: MarksState = { marks: null, problem: null };

/** The marks of one text; none while `kept` is false or they are being found. */
export function useMarks(id: DocumentId, filter: Filter, kept: boolean): MarksState {
  const { library } = useServices();
  const [state, setState] = useState<MarksState & { readonly of: string }>({ ...NONE, of: "" });
  const of = `${id} ${filter}`;
  useEffect(() => {
    if (!kept) return;
    let over = false;
    marksOf(library(), id, filter).then(
      (marks) => {
        if (!over) setState({ marks, problem: null, of });
      },
      (error: unknown) => {
        if (!over)
          setState({ marks: null, problem: error instanceof Error ? error.message : String(error), of });
      },
    );
    return () => {
      over = true;
    };
  }, [library, id, filter, kept, of]);
  return state.of === of ? state : NONE;
}
