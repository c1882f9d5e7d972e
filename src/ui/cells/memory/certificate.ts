/** @file A deletion certificate in words, and as a file. */

import type { StoreCell } from "../../../records/notebook.ts";
import type { CertifiedRead, DeletionCertificate } from "../../../records/answer.ts";
import { count, counted } from "../../format.ts";
import { cosine } from "../../facts/gateText.ts";

export type Certificates = NonNullable<StoreCell["output"]>["certificates"];
export type StampedCertificate = Certificates[number];

/** One deleted key: what was recalled before and after. */
export interface DeletedKey {
  readonly key: string;
  readonly before: string;
  readonly after: string;
  /** The state of its gate. */
  readonly gate: DeletedGate;
  /** The stored words are still recalled. */
  readonly stillSaid: boolean;
}

/** "open at 1.000", "closed at 0.412", "opens on “Mary (1)” at 0.914"; `before` is null in older certificates. */
export interface DeletedGate {
  readonly before: string | null;
  readonly after: string;
  /** After the deletion it opens, which it can only on the key of another fact. */
  readonly elsewhere: boolean;
}

/** The gate of deleted key `i`. */
export function gateOf({ before, after }: DeletionCertificate, i: number): DeletedGate {
  const [had, has] = [before[i]?.read, after[i]];
  const open = has?.gateOpen ?? false;
  const plain = open ? "opens on the key of another fact" : "closed";
  return {
    before: had ? readText(had) : null,
    after: has?.read ? readText(has.read) : plain,
    elsewhere: open,
  };
}

function readText({ similarity, gateOpen, nearest, own }: CertifiedRead): string {
  if (nearest === null) return "closed, no key is left at its layer";
  if (!gateOpen) return `closed at ${cosine(similarity)}`;
  return own ? `open at ${cosine(similarity)}` : `opens on “${nearest}” at ${cosine(similarity)}`;
}

export function deletedKeys({ certificate }: StampedCertificate): readonly DeletedKey[] {
  const { before, after } = certificate;
  return before.map(({ key, text }, i) => {
    const then = after[i];
    return {
      key,
      before: text,
      after: then?.text ?? "",
      gate: gateOf(certificate, i),
      stillSaid: then !== undefined && then.text === text,
    };
  });
}

/** A sentence, and whether it is as it should be. */
interface Finding {
  readonly ok: boolean;
  readonly text: string;
}

/** The sentences of the certificate: what was deleted, what remained, and what the cache contained. */
export function findings(stamped: StampedCertificate): {
  readonly gone: Finding;
  readonly kept: Finding;
  readonly cached: Finding | null;
} {
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
  return {
    gone: { ok: said === 0, text: gone },
    kept: { ok: changed === 0, text: kept },
    cached: cached ? inCache(cached) : null,
  };
}

function inCache({ removed, left }: NonNullable<DeletionCertificate["cached"]>): Finding {
  const found = left === 0 ? "finds nothing" : `still finds ${counted(left, "trace")}`;
  const text =
    `${removed === 0 ? "Nothing" : counted(removed, "row")} had to be removed from the encoding cache: a search of it ` +
    `for their sentences, recall prompts and vectors ${found}.`;
  return { ok: left === 0, text };
}

/** The certificate as a self-contained file. */
export function certificateJson({ stamp, certificate }: StampedCertificate): string {
  const { at, milliseconds, model, backend, app } = stamp;
  const body = {
    format: "palimpsest-deletion-certificate",
    version: 1,
    at,
    milliseconds,
    model,
    backend,
    app,
    ...certificate,
  };
  return `${JSON.stringify(body, null, 2)}\n`;
}
