/**
 * @file How known sentence-embedding models want to be used, as their cards say: which state of the text is its vector,
 * and what stands before a question and before a text. Used otherwise they still give vectors, only worse ones.
 */

/** What a model makes of a text: the state of its first token, or the mean of all. */
export type Pooling = "cls" | "mean";

export interface EmbedderUse {
  readonly pooling: Pooling;
  /** Put before what is asked, and before what is found. */
  readonly query: string;
  readonly passage: string;
}

/** By the end of the model's name, whoever converted it; the first that fits counts. */
const KNOWN: readonly (readonly [name: RegExp, use: EmbedderUse])[] = [
  [/bge-m3/i, { pooling: "cls", query: "", passage: "" }],
  [
    /bge-(?:small|base|large)-zh/i,
    { pooling: "cls", query: "为这个句子生成表示以用于检索相关文章：", passage: "" },
  ],
  [
    /bge-(?:small|base|large)-en/i,
    { pooling: "cls", query: "Represent this sentence for searching relevant passages: ", passage: "" },
  ],
  [
    /e5-(?:small|base|large)-instruct/i,
    {
      pooling: "mean",
      query: "Instruct: Given a question, retrieve passages that answer it\nQuery: ",
      passage: "",
    },
  ],
  [/e5-(?:small|base|large)/i, { pooling: "mean", query: "query: ", passage: "passage: " }],
  [
    /gte-(?:base|large)-en-v1\.5|gte-multilingual|gte-modernbert/i,
    { pooling: "cls", query: "", passage: "" },
  ],
  [/gte-(?:small|base|large)/i, { pooling: "mean", query: "", passage: "" }],
  [/all-minilm|all-mpnet|multi-qa|paraphrase-/i, { pooling: "mean", query: "", passage: "" }],
];

/** How a model is used; one that is not known by its mean state and without prefixes, as most are. */
export const useOf = (model: string): EmbedderUse & { readonly known: boolean } => {
  const found = KNOWN.find(([name]) => name.test(model));
  return found ? { ...found[1], known: true } : { pooling: "mean", query: "", passage: "", known: false };
};
