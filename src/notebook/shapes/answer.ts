/** @file Checks of saved answers, certificates and re-encoded facts (records/answer.ts). */

import * as v from "valibot";
import { number, readBy, record, text } from "../../lib/check.ts";
import type {
  Answer,
  CertifiedRead,
  Competitor,
  DeletionCertificate,
  GatedRead,
  PartAnswer,
  ReconstructedPart,
  Reconstruction,
  Route,
  RoutedAnchor,
  UnmetWord,
  Support,
} from "../../records/answer.ts";
import type { FactId } from "../../records/ids.ts";
import { FAILED_STAGES, type Attribution } from "../../records/judge.ts";
import type { AskedQuestion, Reencoding } from "../../records/notebook.ts";
import { savedQuestionParams } from "../../records/params.ts";

const gatedRead = record<GatedRead>({
  similarity: number(),
  gateOpen: v.boolean(),
  winner: v.nullable(text<FactId>()),
  competitors: v.array(
    record<Competitor>({ id: text(), part: v.optional(number()), similarity: number(), weight: number() }),
  ),
  openPositions: v.array(number()),
});

const VERDICTS = [
  "supported",
  "inexact",
  "indirect",
  "alone",
  "as said",
  "unsupported",
  "not recalled",
  "not in memory",
] as const satisfies readonly Support[];

const partAnswer = record<PartAnswer>({
  question: text(),
  text: text(),
  cited: v.array(text()),
  verdict: v.picklist(VERDICTS),
  probability: v.nullable(number()),
  evidence: v.array(text<FactId>()),
  unmet: v.array(record<UnmetWord>({ word: text(), stored: number() })),
  leftOut: v.optional(v.array(text())),
});

export const answer = record<Answer>({
  question: text(),
  settings: readBy(savedQuestionParams),
  route: record<Route>({
    question: text(),
    anchors: v.array(
      record<RoutedAnchor>({
        anchor: text(),
        denseRank: v.nullable(number()),
        denseScore: v.nullable(number()),
        lexicalRank: v.nullable(number()),
        lexicalScore: v.nullable(number()),
        fused: number(),
        kept: v.boolean(),
        why: text<RoutedAnchor["why"]>(),
      }),
    ),
    more: v.optional(number()),
    facts: v.array(text<FactId>()),
  }),
  recalled: v.array(
    record<Reconstruction>({
      id: text(),
      key: text(),
      anchor: text(),
      index: number(),
      layer: number(),
      offset: number(),
      tokens: v.array(number()),
      text: text(),
      read: gatedRead,
      exact: v.optional(v.boolean()),
      parts: v.optional(
        v.array(
          record<ReconstructedPart>({
            part: number(),
            layer: number(),
            tokens: v.array(number()),
            text: text(),
            read: gatedRead,
          }),
        ),
      ),
    }),
  ),
  asked: v.array(partAnswer),
  text: text(),
  cited: v.array(text()),
  notInMemory: v.boolean(),
  milliseconds: record<Answer["milliseconds"]>({ route: number(), recall: number(), answer: number() }),
  wordless: v.optional(v.literal(true)),
});

const certifiedRead = record<CertifiedRead>({
  similarity: number(),
  gateOpen: v.boolean(),
  nearest: v.nullable(text()),
  own: v.boolean(),
});

const deleted = { key: text(), text: text(), read: v.optional(certifiedRead) };
export const certificate = record<DeletionCertificate>({
  keys: v.array(text()),
  before: v.array(record<DeletionCertificate["before"][number]>(deleted)),
  after: v.array(record<DeletionCertificate["after"][number]>({ ...deleted, gateOpen: v.boolean() })),
  cached: v.optional(
    record<NonNullable<DeletionCertificate["cached"]>>({ removed: number(), left: number() }),
  ),
  compared: number(),
  retained: number(),
  changed: number(),
});

export const reencoding = record<Reencoding>({
  id: text(),
  key: text(),
  before: record<Reencoding["before"]>({ value: v.nullable(text()), layer: number() }),
  after: record<Reencoding["after"]>({
    value: v.nullable(text()),
    layer: number(),
    exact: v.boolean(),
    fidelity: number(),
    steps: number(),
  }),
});

const attribution = record<Attribution>({
  stored: v.boolean(),
  routed: v.boolean(),
  recalled: v.boolean(),
  shown: v.boolean(),
  short: v.picklist(["right", "wrong", "none"]),
  marked: v.boolean(),
  notInMemory: v.boolean(),
  failed: v.nullable(v.picklist(FAILED_STAGES)),
});

export const askedQuestion = record<AskedQuestion>({
  ask: text(),
  answers: v.nullable(v.array(text())),
  needs: v.optional(v.array(text())),
  said: v.array(text()),
  cited: v.array(text()),
  judged: v.nullable(attribution),
  milliseconds: number(),
});
