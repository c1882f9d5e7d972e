/** @file Sentences whose anchor takes longer to find than anybody waits. */

import { expect } from "vitest";
import { attacks } from "../lib/testing/attacks.ts";
import { ruleAnchor } from "./span.ts";

attacks("text files", {
  "a thousand sentences of one endless word": {
    fault: "a word behind a determiner was tried in all pieces: 0.16 s for each sentence of 590 letters",
    attack() {
      const word = "a".repeat(590);
      for (let i = 0; i < 1000; i++) expect(ruleAnchor(`the ${word}%`, { compound: true })).toBe(word);
    },
  },
});
