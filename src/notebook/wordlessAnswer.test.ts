import { expect, test } from "vitest";
import { withoutQuotes } from "./wordlessAnswer.ts";

const SAID = ["Sandra went back to the hallway with the lamp.", "John went to the kitchen."];

test("a short answer stays, a sentence that is quoted is cut short", () => {
  expect(withoutQuotes("hallway", SAID)).toBe("hallway");
  expect(withoutQuotes("She went back to the hallway.", SAID)).toBe("She went back to the hallway.");
  expect(withoutQuotes("Sandra went back to the hallway with the lamp.", SAID)).toBe("Sandra went back …");
  expect(withoutQuotes("I think sandra went back to the hallway, she said.", SAID)).toBe(
    "I think sandra went back … she said.",
  );
  expect(withoutQuotes("", SAID)).toBe("");
});
