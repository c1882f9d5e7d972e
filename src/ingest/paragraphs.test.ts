import { describe, expect, it, test } from "vitest";
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

describe("lines of a plain text without blank lines between them", () => {
  const spans = (lines: readonly string[]): string[] => found(lines.join("\n"));
  const NOTES = [
    "Present: Anna Keller, Tom Reyes, Mr. Okafor (architect)",
    "Budget: planned €12,000, so far €8,450.75 spent",
    "The plumber comes on Tuesday at 7:30 a.m., phone +49 30 5557 214",
    "Dishwasher: still open (Tom asks three shops)",
    "Anna pays the deposit of €450 by Friday.",
    "Key: with Mrs. Novak, second floor, left",
  ];

  it("are a fact each in notes", () => {
    expect(spans(NOTES)).toEqual(NOTES);
  });

  it("are a fact each in a list of short ones, whatever letter they begin with", () => {
    const LIST = ["milk 2 l", "eggs", "bread (the dark one)", "Butter 250 g", "apples"];
    expect(spans(LIST)).toEqual(LIST);
    expect(spans(["eggs", "milk", "meat"])).toHaveLength(3);
    const narrow = [
      "the fog comes in on little cat",
      "feet and it sits looking over the",
      "harbor and the city on silent",
      "haunches and then moves on",
    ];
    expect(spans(narrow)).toEqual([narrow.join("\n")]);
  });

  it.each([
    [
      "with a long one",
      ["milk", "eggs", "call the plumber about the leak in the bathroom on Monday", "bread"],
    ],
    [
      "with a long one and capitals",
      ["Milch", "Eier", "Den Klempner wegen des Lecks im Bad anrufen, Montag", "Tee"],
    ],
    ["below a name", ["Shopping:", "milk", "eggs", "bread"]],
    ["that begin alike", ["the keys", "the phone", "the charger"]],
    ["with an article", ["a loaf of bread", "a dozen eggs", "two lemons"]],
    [
      "with what an indented line adds",
      ["milk", "eggs, the brown ones\n   from the farm", "bread", "butter"],
    ],
    [
      "of contacts",
      ["Anna Keller, architect\n  phone 555 1234", "Tom Reyes, builder\n  phone 555 4321", "Jo Bell"],
    ],
    ["in groups", ["Fruit", "  apples", "  pears", "Vegetables", "  leek", "  peas"]],
    [
      "of terms, with a wrap",
      [
        "bark: the skin of a tree",
        "branch: a part of a tree\nthat grows from the trunk",
        "leaf: a flat green part",
        "root: in the ground",
        "bud – a young leaf",
      ],
    ],
    [
      "of a few terms",
      ["Verb: an action word", "Noun: a person or thing,\nalso an idea", "Adverb: says how"],
    ],
    ["of speakers", ["Mary: where are you?", "Tom: here", "Mary: come in"]],
  ])("are a fact each in a list %s", (_, lines) => {
    expect(spans(lines)).toEqual(lines);
  });

  it("lose the commas between them", () => {
    expect(found("milk,\neggs,\nbread")).toEqual(["milk", "eggs", "bread"]);
    expect(found("John Smith,\n12 Baker Street,\nLondon")).toHaveLength(1);
  });

  it.each([
    "I have eaten\nthe plums\nthat were in\nthe icebox",
    "and which\nyou were probably\nsaving\nfor breakfast",
    "The quick brown\nfox jumps over\nthe lazy dog",
    "He walked down\nnarrow streets\nalone",
    "Wir gehen heute\nin den alten Garten\nund trinken Tee",
  ])("are one sentence in short lines: %j", (text) => {
    expect(found(text)).toEqual([text]);
  });

  it("are joined where one goes on with a small letter", () => {
    const [first, second, ...rest] = NOTES;
    expect(spans([first!, second!, "and not a euro more", ...rest])).toEqual([
      first,
      `${second}\nand not a euro more`,
      ...rest,
    ]);
  });

  it.each([
    [
      "verse",
      [
        "Tell me not, in mournful numbers,",
        "Life is but an empty dream!",
        "For the soul is dead that slumbers,",
        "And things are not what they seem.",
      ],
    ],
    [
      "wrapped prose with years",
      [
        "The house was built in 1843, and the",
        "family of Mr. Weston lived in it until",
        "1851. Then Emma bought it for 300",
        "pounds, and nobody knew why.",
      ],
    ],
  ])("are wraps in %s", (_, lines) => {
    expect(spans(lines)).toEqual([lines.join("\n")]);
  });
});
