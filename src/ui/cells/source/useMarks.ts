/** @file Sentences and candidates of kept texts, asked of the library once per text and filter. */

import type { MethodParams } from "../../../records/params.ts";
import { once } from "../../../lib/promises.ts";
import type { TextMarks } from "../../../records/source.ts";
import type { DocumentId } from "../../../records/ids.ts";
import type { LibraryService } from "../../../service/library/libraryService.ts";
import { useServices } from "../../app.tsx";
import { useAsync, type Async } from "../../controls/useAsync.ts";

type Filter = MethodParams["candidateFilter"];

/** The newest few: marks of a long text take megabytes. */
const cache = new Map<string, Promise<TextMarks>>();
const KEPT = 12;

function marksOf(library: LibraryService, id: DocumentId, filter: Filter): Promise<TextMarks> {
  const asked = once(cache, `${id} ${filter}`, () => library.marks({ id, filter }));
  for (const old of [...cache.keys()].slice(0, Math.max(0, cache.size - KEPT))) cache.delete(old);
  return asked;
}

/** The marks of one text; none while `kept` is false or they are being found. */
export function useMarks(id: DocumentId, filter: Filter, kept: boolean): Async<TextMarks> {
  const { library } = useServices();
  return useAsync(() => marksOf(library(), id, filter), [library, id, filter], { wanted: kept });
}
