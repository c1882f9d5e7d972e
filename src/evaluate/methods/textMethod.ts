/** @file A method that keeps text and puts some of it before the model. */

import { utf8Length } from "../../lib/hash.ts";
import { askModel } from "../asking.ts";
import type { MethodContext, Prepared } from "./method.ts";

/** What such a method keeps, and what of it it shows for a question. */
export interface KeptText {
  readonly tokens: number;
  readonly text: string;
  passages(question: string): readonly string[] | Promise<readonly string[]>;
  /** Nothing may be left out of what is shown. */
  readonly whole?: boolean;
}

export async function prepareText(
  context: MethodContext,
  keep: () => KeptText | Promise<KeptText>,
): Promise<Prepared> {
  const started = context.now();
  const { tokens, text, passages, whole = false } = await keep();
  return {
    kept: { tokens, bytes: utf8Length(text) },
    milliseconds: context.now() - started,
    answer: async ({ question }) => askModel(context, await passages(question), question, { whole }),
  };
}
