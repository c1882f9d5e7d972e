/** @file What the memory takes: its vectors, and what the browser keeps for the app in all. */

import { vectorBytes, type MemoryInfo } from "../../../records/memory.ts";
import type { StorageState } from "../../../rpc/protocol.ts";
import { bytes } from "../../format.ts";
import s from "./MemoryCell.module.css";

export function StorageLine({
  info,
  vectors,
  storage,
}: {
  readonly info: MemoryInfo | null;
  /** Pairs of key and residual that hold its facts. */
  readonly vectors: number;
  readonly storage: StorageState | null;
}) {
  const parts = [
    info && info.facts > 0 && `Keys and residuals take ${bytes(vectorBytes(vectors, info.model))}`,
    storage?.usage != null &&
      `this browser keeps ${bytes(storage.usage)}${
        storage.quota === null ? "" : ` of ${bytes(storage.quota)}`
      } for Palimpsest`,
    storage && !storage.persisted && "it may clear them when space runs short",
  ].filter((part) => typeof part === "string");
  if (parts.length === 0) return null;
  return <p className={s.storage}>{capital(parts.join("; "))}.</p>;
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
