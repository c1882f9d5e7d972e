/** @file The two ends of the scale: the whole text, as far as the window goes, and none of it. */

import { passagesOf } from "../asking.ts";
import { textTokens } from "../tokens.ts";
import type { Method } from "./method.ts";
import { prepareText } from "./textMethod.ts";

export const fullContext: Method = {
  title: "Full context",
  about: "The whole text before the question; a text that does not fit the window has no answer.",
  needs: [],
  prepare: (text, context) =>
    prepareText(context, () => {
      const tokens = textTokens(context.engine, text).length;
      // A text that is too long by far is not cut into sentences to find that out.
      const passages = tokens > context.engine.model.window ? [text] : passagesOf(text);
      return { tokens, text, passages: () => passages, whole: true };
    }),
};

export const closedBook: Method = {
  title: "Closed book",
  about: "The question alone: what the model knew before, or guesses.",
  needs: [],
  prepare: (_, context) => prepareText(context, () => ({ tokens: 0, text: "", passages: () => [] })),
};
