/** @file A stored sentence and what the model says in its place, for print: struck out and added words. */

import { diffWords } from "../facts/diffWords.ts";

export function Said({ stored, said }: { readonly stored: string; readonly said: string | null }) {
  if (said === null || said === stored) return stored;
  return diffWords(stored, said).map(({ kind, text }, i) =>
    kind === "same" ? text : kind === "stored" ? <del key={i}>{text}</del> : <ins key={i}>{text}</ins>,
  );
}
