import { expect, test } from "vitest";
import { wordSearch } from "./wordSearch.ts";

const search = wordSearch(["Mary (1) went to the garden.", "Zoë (2) met Mary.", "The garden of John (10)."]);
const found = (query: string) => [...search(query)].sort();

test.each([
  ["mary", [0, 1]],
  ["GARD", [0, 2]],
  ["garden mary", [0]],
  ["zoe", [1]],
  ["the", [0, 2]],
  ["arden", []],
  ["(1)", [0, 2]],
  [" – ", [0, 1, 2]],
])("%s -> %j", (query, expected) => {
  expect(found(query)).toEqual(expected);
});
