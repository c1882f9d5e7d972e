/**
 * @file What other parts of the interface use of the memory cell. They import it from here: by its path the import law
 * would take that folder for src/memory.
 */

export { gateOf } from "./memory/certificate.ts";
export { documentsOf } from "./memory/documents.ts";
export { fileName } from "./memory/exportFacts.ts";
export { showUndo } from "./memory/UndoNotice.tsx";
export { useReadOnly } from "./memory/useFactActions.ts";
export { compareBy, filterFacts, inSourceOrder, type FactView } from "./memory/view.ts";
