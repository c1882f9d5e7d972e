/**
 * @file What other parts of the interface use of the store cell. They import it from here: by its path the import law
 * would take that folder for src/store.
 */

export { gateOf } from "./store/certificate.ts";
export { documentsOf } from "./store/documents.ts";
export { fileName } from "./store/exportFacts.ts";
export { showUndo } from "./store/UndoNotice.tsx";
export { useReadOnly } from "./store/useFactActions.ts";
export { COMPARE, filterFacts, inSourceOrder, isColumn, type FactView } from "./store/view.ts";
