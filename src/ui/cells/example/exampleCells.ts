/** @file The cells of the worked example, which the first visit draws: one file is smaller than six. */

export { AskCell } from "../ask/AskCell.tsx";
export { MemorizeCell } from "../memorize/MemorizeCell.tsx";
export { MemoryCell } from "../memory/MemoryCell.tsx";
export { ModelCell } from "../model/ModelCell.tsx";
export { NoteCell } from "../note/NoteCell.tsx";
export { SourceCell } from "../source/SourceCell.tsx";
