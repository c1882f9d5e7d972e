import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { DocumentId } from "../records/ids.ts";
import { sentences, type SentenceOptions } from "./sentences.ts";
import { babi, book, bookNames } from "./testing/data.ts";

const split = (text: string, options?: SentenceOptions): string[] =>
  [...sentences({ id: "d" as DocumentId, title: "t", text }, options)].map((sentence) => sentence.text);

/** The contract of `sentences`, checked by the slowest means: every character accounted for. */
function checkContract(text: string, options?: SentenceOptions): number {
  let end = 0;
  let index = 0;
  for (const sentence of sentences({ id: "d" as DocumentId, title: "t", text }, options)) {
    if (sentence.index !== index) throw new Error(`index ${sentence.index}, expected ${index}`);
    if (sentence.start < end) throw new Error(`sentence ${index} overlaps the one before`);
    if (text.slice(sentence.start, sentence.end) !== sentence.text)
      throw new Error(`sentence ${index} is not exact`);
    if (sentence.text !== sentence.text.trim() || sentence.text === "")
      throw new Error(`sentence ${index} not trimmed`);
    if (!MARKS.test(text.slice(end, sentence.start)))
      throw new Error(`text lost before sentence ${index}: ${text.slice(end, sentence.start)}`);
    if (sentence.text.length > (options?.maxCharacters ?? 600))
      throw new Error(`sentence ${index} is too long`);
    end = sentence.end;
    index += 1;
  }
  if (!MARKS.test(text.slice(end))) throw new Error("text lost at the end");
  return index;
}

/** White space, marks of items and references: all that no sentence holds. */
const MARKS =
  /^(?:\s|[-*+•‣⁃▪▫●○■□◦]|#{1,6}\s|\(?(?:\d{1,3}|[a-h])[.)]{1,2}\s|\(?(?:[a-z]|[ivx]{2,4})\)\s|\[[^\]]{1,24}\]|[¹²³⁰⁴-⁹†‡,]|\d{1,3})*$/u;

describe("boundaries", () => {
  test.each([
    ["abbreviations", "Mr. Elton met Dr. Perry in St. James Street. He bowed.", 2],
    ["initials", "George W. Bush met J. R. R. Tolkien. So did I. She left.", 3],
    ["initials that are also abbreviations", "J. S. Bach met Prof. T. S. Eliot. See S. 12. He bowed.", 3],
    ["initials like words", "J. P. Morgan met Mr. T. Smith and N. O. Bell. See P. 12. He bowed.", 3],
    ["Latin", "Use a tool, e.g. The Hammer, i.e. a mallet. Then stop.", 2],
    ["numbers", "See No. 5 on Dec. 11th, p. 12. It cost 3.50 pounds. No. He said so.", 4],
    ["place names at the end", "They live in Baker St. The house is old.", 2],
    ["acronyms", "The U.S. Senate met in Washington D.C. It was cold.", 2],
    ["ellipses", "He waited... then he left. Wait... No!", 3],
    [
      "ellipses and capitals",
      "He waited for an hour… The train never came... Mary had left. “I saw it…” He sighed.",
      5,
    ],
    ["ellipses before a name", "She asked for the… Mary stopped him. They went to… Bergen, he said.", 2],
    ["hesitation", "“Well… I think so,” said Tom. Well... I do. “No, well… Mary will go.”", 3],
    ["speech tags", '"Where is it?" he asked. "Here!" cried Mary.', 2],
    ["closing quotes", "“It is done.” “Is it?”", 2],
    ["emphasis marks", "_He thanked his host._ Daniel left. **Never!** So he went.", 4],
    ["emphasis behind brackets", '*("The dead travel fast.")* Fred left. _(He said so.)_ Ann ran.', 4],
    ["small letters", "the rent is due on the 28th. the boiler is serviced by Hartmann. she left.", 3],
    ["short words", "Ask the dept. of works for approx. five of them. He did.", 2],
    [
      "codes",
      "The code of the door is QX-7741-Z. Marta wrote it down. Room 12B. Paul has it. No USB-C. Marta.",
      6,
    ],
    ["degrees", "Glass melts at ~1100 °C. BA Flight 9 lost all engines.", 2],
    [
      "codes like words",
      "He took the AB-12-ST. Marta paid. It is form 9/CO. Paul sent A7-DR. Bell has it.",
      5,
    ],
    [
      "initials of codes",
      "Write to J.-P. Sartre, (Q. Bell), “T. Smith” and [1]Mr. Bell. George W. Bush did.",
      2,
    ],
    ["stray quotes", "'Stop !' ' Then he ran.", 2],
    ["French guillemets", "« Où allez-vous ? » lui demanda Fogg. « Oui, » dit-il. « Non ! » Il sortit.", 3],
    ["German guillemets", "»Wohin?« fragte er. »Nach Hause!« Dann ging er.", 3],
  ])("%s", (_, text, count) => {
    expect(split(text)).toHaveLength(count);
    checkContract(text);
  });

  test("a blank line splits, a wrap does not", () => {
    expect(split("The milk\nis in the\r\nbox. It is\ncold.\n\nNo end mark\n\nNext")).toEqual([
      "The milk\nis in the\r\nbox.",
      "It is\ncold.",
      "No end mark",
      "Next",
    ]);
    expect(split("First\f second\u2029third\n \t\nfourth")).toEqual(["First", "second", "third", "fourth"]);
  });

  test("list items, headings and unwrapped lines split at a line end", () => {
    expect(split("Rooms\n- the hall\n- the den\n1. one\n")).toEqual(["Rooms", "the hall", "the den", "one"]);
    expect(split("CHAPTER IV\nIt was night.")).toEqual(["CHAPTER IV", "It was night."]);
    const long = "word ".repeat(60).trim();
    expect(split(`${long}\nA title\n${long}`)).toEqual([long, "A title", long]);
  });

  test("an over-long sentence is cut at the best mark, never inside a character", () => {
    const clauses = "the cat sat, ".repeat(5) + "and so on; " + "the dog ran ".repeat(6);
    expect(split(clauses, { maxCharacters: 100 })).toEqual([
      clauses.slice(0, clauses.indexOf(";") + 1),
      clauses.slice(clauses.indexOf(";") + 1).trim(),
    ]);
    for (const piece of split("🙂".repeat(99), { maxCharacters: 11 })) expect(piece).toMatch(/^(?:🙂)+$/u);
  });

  test("no sentence from blank text", () => {
    expect(split("")).toEqual([]);
    expect(split(" \n\n\t")).toEqual([]);
  });
});

describe("contract", () => {
  const fragment = fc.oneof(
    fc.constantFrom(
      ". ",
      "? ",
      "! ",
      "\n",
      "\r\n",
      "\n\n",
      "Mr. ",
      "e.g. ",
      '"',
      "”",
      "... ",
      "; ",
      ", ",
      "— ",
      " ",
      "\f",
    ),
    fc.constantFrom(
      "Mary",
      "the",
      "box",
      "J.",
      "🙂",
      "é",
      "1",
      "CHAPTER I",
      "\ud83d",
      "\ufeff",
      "\u00a0",
      "\u0085",
    ),
    fc.string({ unit: "binary", maxLength: 6 }),
  );
  const text = fc.array(fragment, { maxLength: 80 }).map((parts) => parts.join(""));

  test("order, no overlap, exactness, nothing but white space lost", () => {
    fc.assert(
      fc.property(
        text,
        fc.integer({ min: 2, max: 60 }),
        fc.integer({ min: 2, max: 60 }),
        (t, maxCharacters, window) => {
          checkContract(t);
          checkContract(t, { maxCharacters, window });
        },
      ),
      { numRuns: 400, seed: 7 },
    );
  });

  test("windows change nothing while sentences fit into them", () => {
    const paragraph = "Mary moved to the garden. Mr. Bell said “no”. It was 3.5 miles, e.g. far. ".repeat(50);
    expect(split(paragraph, { window: 200 })).toEqual(split(paragraph, { window: 1e6 }));
  });

  test("ten million characters in one line take bounded windows", () => {
    const line = "Mary moved to the garden and then, at last, she went home. ".repeat(170_000);
    expect(checkContract(line)).toBe(170_000);
  });
});

describe("real text", () => {
  test("every book keeps the contract", () => {
    for (const name of bookNames()) expect(checkContract(book(name)), name).toBeGreaterThan(500);
  });

  test("no sentence of a novel ends in a title, and few start in lower case", () => {
    const all = split(book("austen_emma"));
    expect(all.filter((sentence) => /\b(?:Mr|Mrs|Dr)\.$/.test(sentence))).toEqual([]);
    expect(all.filter((sentence) => /^[a-z]/.test(sentence)).length).toBeLessThan(all.length / 80);
  });

  test("bAbI stories come apart into exactly their facts", () => {
    for (const task of ["qa1", "qa2", "qa3", "qa4", "qa5"]) {
      for (const { facts } of babi(task).slice(0, 40)) {
        expect(split(facts.join(" "))).toEqual(facts);
        expect(split(facts.join("\n"))).toEqual(facts);
      }
    }
  });
});

test("each of two long lines with a label is a sentence", () => {
  const lines = [
    "Present: Anna Keller (chair), Tom Brandt, Priya Nair, Luis Ortega",
    "Absent: Miriam Cole (ill)",
  ];
  expect(split(lines.join("\n"))).toEqual(lines);
});

test("in lines of notes an abbreviation ends a sentence only where a common word opens the next", () => {
  const whole = [
    "Rent: 950 p.c.m. Payable on the 1st.",
    "Train 6:40 p.m. Seat 14C, coach B",
    "Party Fri 8 p.m. to 1 a.m. BYOB and snacks",
    "Loaf: bake 35 min. Cool on a rack.",
    "Paper: Lee et al. Found 12 % loss",
    "Plumber: 12 Elm St. Ring twice",
  ];
  const two = ["Call Tom by 5 p.m.", "He has the 3 keys."];
  expect(split([...whole, two.join(" ")].join("\n"))).toEqual([...whole, ...two]);
});
