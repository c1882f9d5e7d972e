/** @file Compares the recalled with the stored sentence, word by word. */

import { diffTokens } from "../../figures/reconstruction.ts";

export interface DiffPart {
  readonly kind: "same" | "stored" | "said";
  readonly text: string;
}

/** Words, spaces and marks as separate pieces; joined they give the text again. */
const pieces = (text: string): string[] => text.match(/\s+|[\p{L}\p{N}]+(?:['’-][\p{L}\p{N}]+)*|./gsu) ?? [];

/** Beyond this many pieces on a side the two texts are shown as a whole; no sentence is that long. */
const LONGEST = 600;

/**
 * The differences between `stored` and `said` in reading order. Of two changes at one place the stored one comes first.
 */
export function diffWords(stored: string, said: string): readonly DiffPart[] {
  const [a, b] = [pieces(stored), pieces(said)];
  if (a.length > LONGEST || b.length > LONGEST)
    return merged([
      { kind: "stored", text: stored },
      { kind: "said", text: said },
    ]);
  return merged(bridged(diffTokens(a, b).map(({ op, token }) => ({ kind: KIND[op], text: token }))));
}

const KIND = { same: "same", missing: "stored", added: "said" } as const;

/** A space that both share between two changed words belongs to the change: "old pier" -> "new dock" is one. */
function bridged(parts: readonly DiffPart[]): DiffPart[] {
  return parts.flatMap((part, i): DiffPart[] => {
    const inside = changed(parts[i - 1]) && changed(parts[i + 1]);
    if (part.kind !== "same" || part.text.trim() !== "" || !inside) return [part];
    return [
      { kind: "stored", text: part.text },
      { kind: "said", text: part.text },
    ];
  });
}

const changed = (part: DiffPart | undefined): boolean => part !== undefined && part.kind !== "same";

/** Joins neighbours of one kind; stored text comes before recalled text. */
function merged(parts: readonly DiffPart[]): DiffPart[] {
  const out: DiffPart[] = [];
  let change = { stored: "", said: "" };
  const flush = (): void => {
    for (const kind of ["stored", "said"] as const)
      if (change[kind] !== "") out.push({ kind, text: change[kind] });
    change = { stored: "", said: "" };
  };
  for (const { kind, text } of parts) {
    if (kind !== "same") change[kind] += text;
    else {
      flush();
      const last = out.at(-1);
      if (last?.kind === "same") out[out.length - 1] = { kind, text: last.text + text };
      else out.push({ kind, text });
    }
  }
  flush();
  return out;
}

/** Characters that are kept before the first difference when the start is cut. */
const LEAD = 24;

/**
 * Shortens parts for a narrow line: if the first difference is beyond `room` characters, the start is replaced by an
 * ellipsis.
 */
export function inSight(parts: readonly DiffPart[], room: number): readonly DiffPart[] {
  const [first, ...rest] = parts;
  if (first?.kind !== "same" || rest.length === 0 || first.text.length <= room) return parts;
  const tail = first.text.slice(-LEAD);
  const word = tail.indexOf(" ");
  return [{ kind: "same", text: `… ${word < 0 ? tail : tail.slice(word + 1)}` }, ...rest];
}
