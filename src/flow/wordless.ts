/** @file A memory without words: hashes in their place, and the words decoded from its vectors when they are needed. */

import { many } from "../lib/format.ts";
import type { Engine } from "../engine/engine.ts";
import { ruleQuestions } from "../extract/questions.ts";
import { randomHex, sha256Hex } from "../lib/hash.ts";
import { textOf } from "../memory/codes.ts";
import { isCoded, sayAlone } from "../memory/stored.ts";
import type { FactId } from "../records/ids.ts";
import { byFact, type EntryMeta, type Memory } from "../records/memory.ts";
import type { MethodParams } from "../records/params.ts";
import { keptMemory, withVectors, type EntryVectors, type KeptMemory } from "../records/vectors.ts";
import { documentText, type TextsOf } from "../router/documents.ts";
import { termHasher, withoutWords } from "../router/wordless.ts";

const SALT_BYTES = 16;

/** The salt of a memory that is added to with `params`; a memory that keeps no words stays so. */
export const saltFor = (stored: Pick<Memory, "salt"> | null, { index }: MethodParams): string | undefined =>
  stored?.salt ?? (index === "wordless" ? randomHex(SALT_BYTES) : undefined);

/** Whether words of encoded facts are still to be removed, which happens at the end of a run. */
export function holdsWords({ salt, entries, routing }: Memory<EntryMeta>): boolean {
  if (salt === undefined) return false;
  const encoded = new Set(entries.map(({ id }) => id));
  return routing.some(({ facts }) => facts.some(({ id, value }) => value !== null && encoded.has(id)));
}

/** The memory without the words of encoded facts; itself if it has none of them. */
export function sealed(memory: Memory<EntryMeta>): Memory<EntryMeta> {
  const { salt, entries, routing } = memory;
  if (salt === undefined || !holdsWords(memory)) return memory;
  const keyed = termHasher(salt);
  const encoded = new Set(entries.map(({ id }) => id));
  return {
    ...memory,
    entries: entries.map(withoutRecalled),
    routing: routing.map((document) => ({
      ...document,
      facts: document.facts.map((fact) => (encoded.has(fact.id) ? withoutWords(fact, keyed) : fact)),
    })),
  };
}

/** Drops the decoded text of inexact parts, which is nearly the value. */
function withoutRecalled<E extends Pick<EntryMeta, "report">>(entry: E): E {
  const { recalled, soft } = entry.report;
  if (recalled === null && !soft?.recalled) return entry;
  const report = { ...entry.report, recalled: null, ...(soft && { soft: { ...soft, recalled: null } }) };
  return { ...entry, report };
}

export const asKept = <E extends Pick<EntryMeta, "report">>({ salt }: Pick<Memory, "salt">, entry: E): E =>
  salt === undefined ? entry : withoutRecalled(entry);

/** The text that each fact's own vectors decode to, parts joined; the value itself if all of them are exact. */
export async function sayFacts(
  engine: Engine,
  entries: readonly EntryVectors[],
  signal?: AbortSignal,
): Promise<Map<FactId, string>> {
  const facts = byFact(entries);
  const decoded = await sayAlone(engine, facts.flat(), signal);
  let at = 0;
  return new Map(
    facts.map((parts) => {
      const tokens = decoded.slice(at, (at += parts.length)).flat();
      return [parts[0]!.id, textOf(engine, tokens, isCoded(parts)).trim()];
    }),
  );
}

/** The texts that anchors are found by; words that are not kept are decoded, and their questions made by rules. */
export const textsOf =
  (engine: Engine, memory: Memory | KeptMemory): TextsOf =>
  async (documents) => {
    if (memory.salt === undefined) return documents.map(documentText);
    const kept = keptMemory(memory);
    const silent = new Set(
      documents.flatMap(({ facts }) => facts.flatMap(({ id, value }) => (value === null ? id : []))),
    );
    const own = kept.entries.filter(({ id }) => silent.has(id));
    const said = await sayFacts(engine, await withVectors(kept, own));
    return documents.map((document) => {
      const facts = document.facts.map((fact) => {
        const value = said.get(fact.id);
        if (value === undefined) return fact;
        return {
          ...fact,
          value,
          questions: ruleQuestions(value, document.anchor, memory.params.questionsPerFact),
        };
      });
      return documentText({ ...document, facts });
    });
  };

/** Replaces words in a certificate; equal words have equal digests. */
export const digestOf = (text: string, salt: string): string =>
  `[${many(text.split(/\s+/).filter(Boolean).length, "word")}, not kept; digest ${sha256Hex(`${salt}\n${text}`).slice(0, 12)}]`;
