/** @file What the memory takes: its vectors and its index beside the text, and what the browser keeps in all. */

import type { MemoryInfo } from "../../../records/memory.ts";
import type { StorageState } from "../../../rpc/protocol.ts";
import { useNotebook, useServices } from "../../app.tsx";
import { useAsync } from "../../controls/useAsync.ts";
import { keptText } from "../../facts/words.ts";
import { bytes } from "../../format.ts";
import { Text } from "../../controls/layout.tsx";

export function StorageLine({
  info,
  storage,
}: {
  readonly info: MemoryInfo | null;
  readonly storage: StorageState | null;
}) {
  const { library } = useServices();
  const memory = useNotebook().id;
  const ask = () => library().memoryBytes({ memory });
  const kept = useAsync(ask, [library, memory, info], { wanted: info !== null, keep: true }).value;
  const parts = [
    kept && kept.perFact > 0 && keptText(kept),
    storage?.usage != null &&
      `this browser keeps ${bytes(storage.usage)} for Palimpsest${
        storage.quota === null ? "" : `, of ${bytes(storage.quota)} at most`
      }`,
    storage && !storage.persisted && "it may clear all that when space runs short",
  ].filter((part) => typeof part === "string");
  if (parts.length === 0) return null;
  return (
    <Text as="p" tone="soft" size="s">
      {capital(parts.join("; "))}.
    </Text>
  );
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
