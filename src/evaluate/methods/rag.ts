/** @file Retrieval over raw text: the best chunks by words or by vectors, in document order. */

import { routeQuestion } from "../../flow/answer.ts";
import { chunks as groupsOf } from "../../lib/group.ts";
import { utf8Length } from "../../lib/hash.ts";
import { bytesOf } from "../../records/bytes.ts";
import { offsetOf } from "../../records/ids.ts";
import { cosine } from "../../router/dense.ts";
import { lexicalIndex } from "../../router/lexical.ts";
import { askModel } from "../asking.ts";
import { passagesOf, textTokens } from "../tokens.ts";
import { chunkAt, chunksOf, type Chunk } from "./chunks.ts";
import type { Method, MethodContext, Prepared } from "./method.ts";

interface Ranking {
  /** Positions of chunks for a question, best first. */
  rank(question: string): Promise<readonly number[]>;
  readonly bytes: number;
  /** Time of making the memory that it searches. */
  readonly milliseconds?: number;
}

interface Form extends Pick<Method, "title" | "about" | "needs"> {
  ranking(chunks: readonly Chunk[], text: string, context: MethodContext): Promise<Ranking>;
}

const retrieval = ({ ranking, ...about }: Form): Method => ({
  ...about,
  async prepare(text, context): Promise<Prepared> {
    const started = context.now();
    const chunks = chunksOf(context.engine, text, context.budgets.chunk);
    const { rank, bytes, milliseconds = 0 } = await ranking(chunks, text, context);
    const tokens = chunks.reduce((sum, chunk) => sum + chunk.tokens, 0);
    return {
      kept: { tokens, bytes: utf8Length(text) + bytes },
      milliseconds: Math.max(milliseconds, context.now() - started),
      async answer({ question }) {
        const shown = placed(context, chunks, await rank(question));
        return askModel(context, shown.flatMap(passagesOf), question);
      },
    };
  },
});

const placed = ({ budgets }: MethodContext, chunks: readonly Chunk[], order: readonly number[]): string[] =>
  order
    .slice(0, budgets.placed)
    .toSorted((a, b) => a - b)
    .map((i) => chunks[i]!.text);

/** BM25+ over words and their stems, as routing has it. */
function byWords(texts: readonly string[], most: number): Ranking {
  const documents = texts.map((text) => ({ text }));
  const index = lexicalIndex(documents, ["text"]);
  const rank: Ranking["rank"] = (question) => {
    const ranked = [...index.rank(question, "bm25")];
    const best = ranked.toSorted((a, b) => a[1].rank - b[1].rank).map(([id]) => id);
    return Promise.resolve(best.slice(0, most));
  };
  return { rank, bytes: 0 };
}

export const bm25 = retrieval({
  title: "Chunk RAG, BM25",
  about: "Chunks of 384 tokens that do not overlap, the best three by BM25+ in document order.",
  needs: [],
  async ranking(chunks, _, { budgets }) {
    const texts = chunks.map(({ text }) => text);
    return byWords(texts, budgets.retrieved);
  },
});

/** Its chunks are sentences, like our facts: our number of tokens would be a fragment of a usual chunk. */
export const bm25Equal: Method = {
  title: "BM25, our number of tokens",
  about:
    "The best sentences by BM25+ that have no more tokens together than our routed facts for the question.",
  needs: [],
  async prepare(text, context): Promise<Prepared> {
    const started = context.shelf.now();
    const sentences = context.shelf.sentences(text);
    const tokens = sentences.map((one) => textTokens(context.engine, one).length);
    const { rank } = byWords(sentences, Infinity);
    return {
      kept: { tokens: tokens.reduce((sum, one) => sum + one, 0), bytes: utf8Length(text) },
      milliseconds: context.shelf.now() - started,
      async answer({ question }) {
        // The leading sentences that fit, in document order.
        const shown: number[] = [];
        let room = await routedTokens(question, text, context);
        for (const at of await rank(question)) {
          room -= tokens[at]!;
          if (room < 0) break;
          shown.push(at);
        }
        const passages = shown.toSorted((a, b) => a - b).map((at) => sentences[at]!);
        return askModel(context, passages, question);
      },
    };
  },
};

/** Tokens of the facts that our method routes to. */
async function routedTokens(question: string, text: string, { shelf, params, grown }: MethodContext) {
  const made = await shelf.of(text, params, grown);
  if (!made) return 0;
  const { facts } = await routeQuestion(made.open, question);
  const parts = facts.flatMap((id) => made.open.facts.get(id) ?? []);
  return parts.reduce((sum, { tokens }) => sum + tokens, 0);
}

export const overAnchors = retrieval({
  title: "RAG over our anchors",
  about:
    "The chunks that hold the facts which our routing finds by its anchors and questions: raw text, our index.",
  needs: [],
  async ranking(chunks, text, { shelf, params }) {
    const made = await shelf.of(text, params);
    return {
      bytes: made ? bytesOf(made.open.memory).index : 0,
      milliseconds: made?.milliseconds ?? 0,
      async rank(question) {
        if (!made) return [];
        const { facts } = await routeQuestion(made.open, question);
        return [...new Set(facts.map((id) => chunkAt(chunks, offsetOf(id))))];
      },
    };
  },
});

/** Every chunk as a vector of the chosen embedder; the nearest by cosine. */
async function byVectors(
  chunks: readonly Chunk[],
  { engine, budgets, signal }: MethodContext,
): Promise<Ranking> {
  const vectors: Float32Array[] = [];
  for (const some of groupsOf(chunks, EMBEDDED)) {
    const texts = some.map(({ text }) => text);
    vectors.push(...(await engine.embed(texts, signal)));
  }
  return {
    bytes: vectors.reduce((sum, { byteLength }) => sum + byteLength, 0),
    async rank(question) {
      const own = await engine.embedQuestion(question, signal);
      const near = vectors.map((vector) => cosine(own, vector));
      return [...vectors.keys()].sort((a, b) => near[b]! - near[a]! || a - b).slice(0, budgets.retrieved);
    },
  };
}

/** Chunks embedded in one call. */
const EMBEDDED = 32;

export const dense = retrieval({
  title: "Chunk RAG, dense",
  about: "The three chunks nearest by the chosen embedder's vectors, in document order.",
  needs: ["embedder"],
  ranking: (chunks, _, context) => byVectors(chunks, context),
});

export const reranked = retrieval({
  title: "Chunk RAG, dense and reranked",
  about:
    "The paper's: 20 chunks by vectors, three of them by a cross-encoder's raw logit, in document order.",
  needs: ["embedder", "reranker"],
  async ranking(chunks, _, context) {
    const { rank, bytes } = await byVectors(chunks, context);
    return {
      bytes,
      async rank(question) {
        const found = await rank(question);
        const texts = found.map((i) => chunks[i]!.text);
        const logits = (await context.reranker?.score(question, texts)) ?? [];
        return [...found.keys()].sort((a, b) => logits[b]! - logits[a]! || a - b).map((i) => found[i]!);
      },
    };
  },
});
