/** @file Answers for the tests and the harness of the ask cell. */

import { wasRead, type Answer, type Reconstruction, type RoutedAnchor } from "../../../../records/answer.ts";
import { charOffset, type FactId, layerIndex } from "../../../../records/ids.ts";
import type { Stamp } from "../../../../records/notebook.ts";
import { questionParams, SHARP } from "../../../../records/params.ts";
import type { Exchange } from "../stages.ts";

export const anchorRow = (change: Partial<RoutedAnchor> = {}): RoutedAnchor => ({
  anchor: "Sandra",
  denseRank: 1,
  denseScore: 0.82,
  lexicalRank: 1,
  lexicalScore: 4.1,
  fused: 2 / 61,
  kept: true,
  why: "verbatim anchor in the question",
  ...change,
});

/** A fact recalled with its gate open and its own key winning, unless a test says otherwise. */
export function recalledFact(change: Partial<Reconstruction> = {}): Reconstruction {
  const id = change.id ?? ("aaaaaaaaaaaaaaaa:0" as FactId);
  return {
    id,
    key: "Sandra (1)",
    anchor: "Sandra",
    index: 1,
    layer: layerIndex(2),
    offset: charOffset(0),
    tokens: [1, 2, 3],
    text: "Sandra went to the hallway.",
    read: {
      similarity: 0.98,
      gateOpen: true,
      winner: id,
      competitors: [
        { id, similarity: 0.98, weight: 0.97 },
        { id: "aaaaaaaaaaaaaaaa:99" as FactId, similarity: 0.55, weight: 0.03 },
      ],
      openPositions: [6],
    },
    ...change,
  };
}

/** An answer in one part, whose evidence is the facts with an open gate: the cited ones first. */
export function answerOf(change: Partial<Answer> = {}): Answer {
  const answer = withoutParts(change);
  const { question, text, cited, notInMemory, recalled } = answer;
  const read = recalled.filter(wasRead);
  const evidence = [
    ...read.filter(({ key }) => cited.includes(key)),
    ...read.filter(({ key }) => !cited.includes(key)),
  ].map(({ id }) => id);
  const unread = recalled.length === 0 ? "not in memory" : "not recalled";
  const answered = notInMemory || cited.length === 0 ? "unsupported" : "supported";
  const verdict = read.length === 0 ? unread : answered;
  const part = { question, text, cited, verdict, probability: null, evidence, unmet: [] } as const;
  return { ...answer, asked: change.asked ?? [part] };
}

const withoutParts = (change: Partial<Answer>): Answer => ({
  question: "Where is Sandra?",
  settings: questionParams(SHARP),
  route: { question: "Where is Sandra?", anchors: [anchorRow()], facts: ["aaaaaaaaaaaaaaaa:0" as FactId] },
  recalled: [recalledFact()],
  asked: [],
  text: "Sandra is in the hallway.",
  cited: ["Sandra (1)"],
  notInMemory: false,
  milliseconds: { route: 120, recall: 480, answer: 260 },
  ...change,
});

export const stampOf = (change: Partial<Stamp> = {}): Stamp => ({
  at: "2026-11-21T12:00:00.000Z",
  milliseconds: 860,
  backend: "wasm",
  model: "palimpsest-6m@0a1b2c3d",
  app: "0.1.0",
  inputs: "",
  ...change,
});

export const exchange = (answer: Partial<Answer> = {}, stamp: Partial<Stamp> = {}): Exchange => ({
  answer: answerOf(answer),
  stamp: stampOf(stamp),
});
