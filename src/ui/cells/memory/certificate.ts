/** @file A deletion certificate in words, and as a file. */

import type { StoreCell } from "../../../records/notebook.ts";
import type { CertifiedRead, DeletionCertificate } from "../../../records/answer.ts";
import { count, counted } from "../../format.ts";
import { cosine } from "../../facts/gateText.ts";

export type Certificates = NonNullable<StoreCell["output"]>["certificates"];
export type StampedCertificate = Certificates[number];

export type DeletedKey = ReturnType<typeof deletedKeys>[number];

/** Of each deleted key, what was recalled before and after, and its gate. */
export function deletedKeys({ certificate }: StampedCertificate) {
  const { before, after } = certificate;
  return before.map(({ key, text }, i) => ({
    key,
    before: text,
    after: after[i]?.text ?? "",
    gate: gateOf(certificate, i),
    /** The stored words are still recalled. */
    stillSaid: after[i]?.text === text,
  }));
}

/** E.g. "open at 1.000", "closed at 0.412", "opens on “Mary (1)” at 0.914"; `before` is null if it was not read. */
function gateOf({ before, after }: DeletionCertificate, i: number) {
  const [had, has] = [before[i]?.read, after[i]];
  const open = has?.gateOpen ?? false;
  const plain = open ? "opens on the key of another fact" : "closed";
  return {
    before: had ? readText(had) : null,
    after: has?.read ? readText(has.read) : plain,
    /** After the deletion it opens, which it can only on the key of another fact. */
    elsewhere: open,
  };
}

function readText({ similarity, gateOpen, nearest, own }: CertifiedRead): string {
  if (nearest === null) return "closed, no key is left at its layer";
  if (!gateOpen) return `closed at ${cosine(similarity)}`;
  return own ? `open at ${cosine(similarity)}` : `opens on “${nearest}” at ${cosine(similarity)}`;
}

interface Finding {
  readonly ok: boolean;
  readonly text: string;
}

/** The sentences of the certificate: what was deleted, what remained, and, if known, what the cache contained. */
export function findings(stamped: StampedCertificate): readonly Finding[] {
  const keys = deletedKeys(stamped);
  const { compared, retained, changed, cached } = stamped.certificate;
  const said = keys.filter(({ stillSaid }) => stillSaid).length;
  const asked = `${counted(keys.length, "deleted fact")} asked for before and after`;
  const gone =
    said > 0
      ? `${asked}: ${keys.length === 1 ? "it is" : `${count(said)} ${said === 1 ? "is" : "are"}`} still said. The frozen model knows that much without the memory.`
      : `${asked}: ${keys.length === 1 ? "it is no longer" : "none is still"} recalled.`;
  const others =
    retained > compared
      ? `${count(compared)} of ${counted(retained, "other fact")}, evenly spread,`
      : counted(compared, "other fact");
  const kept =
    compared === 0
      ? "Nothing else was stored, so there was nothing to compare."
      : changed === 0
        ? `${others} recalled before and after: not one token differs.`
        : `${others} recalled before and after: ${count(changed)} changed.`;
  return [
    { ok: said === 0, text: gone },
    { ok: changed === 0, text: kept },
    ...(cached ? [inCache(cached)] : []),
  ];
}

function inCache({ removed, left }: NonNullable<DeletionCertificate["cached"]>): Finding {
  const found = left === 0 ? "finds nothing" : `still finds ${counted(left, "trace")}`;
  const text =
    `${removed === 0 ? "Nothing" : counted(removed, "row")} had to be removed from the encoding cache: a search of it ` +
    `for their sentences, recall prompts and vectors ${found}.`;
  return { ok: left === 0, text };
}

export function certificateJson({ stamp, certificate }: StampedCertificate): string {
  const { at, milliseconds, model, backend, app } = stamp;
  const run = { at, milliseconds, model, backend, app };
  const body = { format: "palimpsest-deletion-certificate", version: 1, ...run, ...certificate };
  return `${JSON.stringify(body, null, 2)}\n`;
}
