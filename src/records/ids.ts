/** @file Branded ids and units: a layer index is not a token index, although both are numbers. */

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
/** The document of a fact with its edition. */
export const editionOf = (id: FactId): string => id.slice(0, id.lastIndexOf(":"));
export const documentOf = (id: FactId): DocumentId => editionOf(id).split("~", 1)[0] as DocumentId;
export const offsetOf = (id: FactId): CharOffset => Number(id.slice(id.lastIndexOf(":") + 1)) as CharOffset;
export const documentId = (hash: string): DocumentId => hash.slice(0, 16) as DocumentId;
export const layerIndex = (index: number): LayerIndex => index as LayerIndex;
export const charOffset = (offset: number): CharOffset => offset as CharOffset;
