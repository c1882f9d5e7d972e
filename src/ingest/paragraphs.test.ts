import { expect, test } from "vitest";
import { paragraphs } from "./sentences.ts";

const found = (text: string): string[] =>
  [...paragraphs(text)].map(({ start, end }) => text.slice(start, end));

test("entries of a list without marks are paragraphs of their own", () => {
  const list = [
    "Price list 2026",
    "Seed potatoes, 2 kg: £4.20",
    "Compost, 40 litres: £6.75",
    "Anna: anna@example.org",
  ];
  expect(found(list.join("\n"))).toEqual(list);
  expect(found(list.join("\r\n"))).toEqual(list);
});

test("wrapped text stays one paragraph, narrow, with numbers or colons, and at its short last line", () => {
  for (const text of [
    "In the spring of 1887 he went to\nlondon with 3 trunks, and there he\nmet 2 of his friends.",
    "It was the 3d of December, 1878, nearly ten years ago, and the colonel\nremembered 4 chests of treasure.",
    "He wrote on the 4th of July,\n1887 was the year: a hot one",
    "She said: come at 5,\nMary, or at 6 of the clock.",
  ])
    expect(found(text)).toEqual([text]);
});
