import { ownRead, wholeReport, type EntryMeta } from "./memory.ts";
import type { FactRow, PartRow } from "./notebook.ts";

export function rowOf(parts: readonly EntryMeta[]): Omit<FactRow, "digest" | "memorizedAt"> {
  const { id, documentId, anchor, index, offset, layer } = parts[0]!;
  const row = { id, documentId, anchor, index, offset, layer, ...wholeReport(parts) };
  const { started } = parts[0]!.report;
  if (parts.length === 1) return started ? { ...row, started } : row;
  return { ...row, parts: parts.map(partOf) };
}

/** The value of a fact, of which the model says `said`. Null if that is not known, or not the value. */
export const knownValue = (
  { exact }: Pick<FactRow, "exact">,
  said: string | null | undefined,
): string | null => (exact && said) || null;

export const vectorsOf = ({ parts }: Pick<FactRow, "parts">): number => parts?.length ?? 1;

const partOf = ({ part, layer, tokens, report }: EntryMeta): PartRow => ({
  part,
  layer,
  tokens,
  exact: ownRead(report).exact,
  fidelity: ownRead(report).fidelity,
  steps: report.steps,
  ...(report.started ? { started: report.started } : {}),
  deltaNorm: report.deltaNorm,
  margin: report.margin,
});
