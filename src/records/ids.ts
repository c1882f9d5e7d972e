/** @file Branded ids and units: a layer index is not a token index, although both are numbers. */

import { randomHex } from "../lib/hash.ts";

declare const brand: unique symbol;
type Brand<T, Name extends string> = T & { readonly [brand]: Name };

/**
 * Identifies a stored fact: `${documentId}:${offset}`, stable across runs over the same text. A deletion closes the gap in the
 * offsets; from then on it is `${documentId}~${edition}:${offset}`, so that no id ever means two sentences.
 */
export type FactId = Brand<string, "FactId">;
/** Identifies a document: the first 16 hex digits of the SHA-256 of its text. */
export type DocumentId = Brand<string, "DocumentId">;
/** ℓ: a decoder layer, counted from 0 as Hugging Face names them (the paper counts from 1). */
export type LayerIndex = Brand<number, "LayerIndex">;
/** o: an offset into a document's text in UTF-16 code units, so that text.slice(o) is exact. */
export type CharOffset = Brand<number, "CharOffset">;

export const factId = (text: string, offset: CharOffset): FactId => `${text}:${offset}` as FactId;
/** The document after a deletion, with a new edition. */
export const newEdition = (document: DocumentId): string => `${document}~${randomHex(EDITION_BYTES)}`;
const EDITION_BYTES = 4;
/** The document of a fact with its edition. */
export const editionOf = (id: FactId): string => id.slice(0, id.lastIndexOf(":"));
export const documentOf = (id: FactId): DocumentId => editionOf(id).split("~", 1)[0] as DocumentId;
export const offsetOf = (id: FactId): CharOffset => Number(id.slice(id.lastIndexOf(":") + 1)) as CharOffset;
/** Where a fact begins. */
type Place = ReturnType<typeof placeOf>;
export const placeOf = (id: FactId) => ({ documentId: documentOf(id), offset: offsetOf(id) });
/** The order of the texts, and of the places in a text. Texts that are not among `texts` come last. */
export function textOrder(texts: readonly { readonly id: DocumentId }[]): (a: Place, b: Place) => number {
  const ranks = new Map(texts.map(({ id }, i) => [id, i]));
  const rank = ({ documentId }: Place): number => ranks.get(documentId) ?? texts.length;
  return (a, b) => rank(a) - rank(b) || a.offset - b.offset;
}
export const documentId = (hash: string): DocumentId => hash.slice(0, 16) as DocumentId;
export const layerIndex = (index: number): LayerIndex => index as LayerIndex;
export const charOffset = (offset: number): CharOffset => offset as CharOffset;
