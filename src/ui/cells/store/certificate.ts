/** @file A deletion certificate in words, and as a file. */

import type { StoreCell } from "../../../records/notebook.ts";
import { counted } from "../../format.ts";

export type Certificates = NonNullable<StoreCell["output"]>["certificates"];
export type StampedCertificate = Certificates[number];

/** One deleted key: what was recalled before and after. */
export interface DeletedKey {
  readonly key: string;
  readonly before: string;
  readonly after: string;
  readonly gateOpen: boolean;
  /** The words that were stored come back all the same. */
  readonly stillSaid: boolean;
}

export function deletedKeys({ certificate: { before, after } }: StampedCertificate): readonly DeletedKey[] {
  return before.map(({ key, text }, i) => {
    const then = after[i];
    return {
      key,
      before: text,
      after: then?.text ?? "",
      gateOpen: then?.gateOpen ?? false,
      stillSaid: then !== undefined && then.text === text,
    };
  });
}

/** What the certificate shows, in one sentence each: what went, and what stayed. */
export function findings(stamped: StampedCertificate): {
  readonly gone: { readonly ok: boolean; readonly text: string };
  readonly kept: { readonly ok: boolean; readonly text: string };
} {
  const keys = deletedKeys(stamped);
  const { compared, changed } = stamped.certificate;
  const said = keys.filter(({ stillSaid }) => stillSaid).length;
  const asked = `${counted(keys.length, "deleted fact")} asked for before and after`;
  const gone =
    said > 0
      ? `${asked}: ${said} of them still said. The frozen model knows that much without the memory.`
      : `${asked}: ${keys.length === 1 ? "it is no longer" : "none is still"} recalled.`;
  const kept =
    compared === 0
      ? "Nothing else was stored, so there was nothing to compare."
      : changed === 0
        ? `${counted(compared, "other fact")} recalled before and after: not one token differs.`
        : `${changed} of ${counted(compared, "other fact")} changed in recall.`;
  return { gone: { ok: said === 0, text: gone }, kept: { ok: changed === 0, text: kept } };
}

/** The certificate as a file that stands alone. */
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
