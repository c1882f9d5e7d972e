/** @file Sentences as real texts have them, by kind; the first case of each kind is from a public report. */

import { describe, expect, test } from "vitest";
import { documentId } from "../records/ids.ts";
import { sentences } from "./sentences.ts";

const split = (text: string): string[] =>
  [...sentences({ id: documentId("0123456789abcdef"), title: "t", text })].map((sentence) => sentence.text);

/** Sentences that the cutter finds in `text`; without them the text is one sentence. */
type Case = string | readonly [text: string, ...sentences: string[]];

const KINDS: Readonly<Record<string, readonly Case[]>> = {
  "reference marks": [
    [
      "The town was founded in 1821.[3] It has 5,000 people.[4]",
      "The town was founded in 1821.",
      "It has 5,000 people.",
    ],
    [
      "This is old research.1 Another study disagrees.10 11 Next one.",
      "This is old research.",
      "Another study disagrees.",
      "Next one.",
    ],
    ["He left.¹ She stayed.² ³ They met.", "He left.", "She stayed.", "They met."],
    [
      "Built in 1900. [5] It fell.[a][12] It rose.[citation needed]",
      "Built in 1900.",
      "It fell.",
      "It rose.",
    ],
    ["“We saw it.”[12] He nodded.[3–5]", "“We saw it.”", "He nodded."],
    ["See fig.2 Shows the rest. Version 2.1 is out.", "See fig.2 Shows the rest.", "Version 2.1 is out."],
  ],
  "items of lists": [
    ["1. The first item 2. The second item", "The first item", "The second item"],
    ["1.) Milk. 2.) Bread.", "Milk.", "Bread."],
    ["1) Was ist das? 2) Wer kommt?", "Was ist das?", "Wer kommt?"],
    ["a. The first item b. The second item c. The third", "The first item", "The second item", "The third"],
    ["• 9. One item • 10. Another item", "One item", "Another item"],
    ["⁃9. One item ⁃10. Another item", "One item", "Another item"],
    ["(a) one (b) two (c) three", "one", "two", "three"],
    ["iv) fourth\nv) fifth", "fourth", "fifth"],
    ["– Milch\n– Brot\n· Eier", "Milch", "Brot", "Eier"],
    ["Agenda: 1. Budget 2. Staff", "Agenda:", "Budget", "Staff"],
    [
      "1. Buy milk\n2. Call Dr. Ito\n3. Pay €45.50 by 3 May",
      "Buy milk",
      "Call Dr. Ito",
      "Pay €45.50 by 3 May",
    ],
    ["3. Buy milk", "Buy milk"],
    ["1. Buy milk and\nbread\n2. Call Ann", "Buy milk and\nbread", "Call Ann"],
    ["He lived at number\n12. Then he left.", "He lived at number\n12.", "Then he left."],
    ["2 + 2 es 4. 3 + 3 es 6.", "2 + 2 es 4.", "3 + 3 es 6."],
    "Lista: 1.Helado, 2.Carne, 3.Arroz.",
  ],
  abbreviations: [
    "He took the direct path to Com. & Adm. through the hall.",
    [
      "As shown in Eqs. (1)-(3), it falls. Chopin wrote Op. 64 in 1847.",
      "As shown in Eqs. (1)-(3), it falls.",
      "Chopin wrote Op. 64 in 1847.",
    ],
    [
      "It was made c. 1769 (d. Nov. 4, 1801). It survives.",
      "It was made c. 1769 (d. Nov. 4, 1801).",
      "It survives.",
    ],
    "Tom calls BT about the line, ref. VOL011-9923 today.",
    ["It is his ref. Tom wrote it.", "It is his ref.", "Tom wrote it."],
    ["It lies at lat. 15 N. It is small.", "It lies at lat. 15 N.", "It is small."],
    [
      "You can find it at N°. 1026.253.553. It is there.",
      "You can find it at N°. 1026.253.553.",
      "It is there.",
    ],
    "Use tools, e.g. Hammers, incl. Nails.",
    "Getränke, z. B. Wasser, u. Ä. und usw.",
    [
      "Das steht auf S. 12. Die kath. Schule ist ca. 5 km weit.",
      "Das steht auf S. 12.",
      "Die kath. Schule ist ca. 5 km weit.",
    ],
    ["Prof. Dr. h.c. Meier kommt. Er bleibt.", "Prof. Dr. h.c. Meier kommt.", "Er bleibt."],
    [
      "Er wohnt in der Goethestr. 12. Sie in der Berliner Str. 5.",
      "Er wohnt in der Goethestr. 12.",
      "Sie in der Berliner Str. 5.",
    ],
    [
      "El Sr. López vive en EE. UU. La Sra. Gil también.",
      "El Sr. López vive en EE. UU.",
      "La Sra. Gil también.",
    ],
    ["Il dott. Rossi è qui. L'Avv. Bianchi arriva.", "Il dott. Rossi è qui.", "L'Avv. Bianchi arriva."],
    ["Живёт на ул. Ленина. Проф. Иванов пришёл.", "Живёт на ул. Ленина.", "Проф. Иванов пришёл."],
  ],
  initials: [
    [
      "We are a team, you and I. Did you see Albert I. Jones?",
      "We are a team, you and I.",
      "Did you see Albert I. Jones?",
    ],
    ["World War I. Germany lost.", "World War I.", "Germany lost."],
    ["А. И. Семенов выступал. Л.Н. Толстой писал.", "А. И. Семенов выступал.", "Л.Н. Толстой писал."],
    ["J. A. Smith met N. O. Bell. They spoke.", "J. A. Smith met N. O. Bell.", "They spoke."],
  ],
  times: [
    [
      "At 5 a.m. Mr. Smith went to the bank. He left the bank at 6 P.M. Mr. Smith then went to the store.",
      "At 5 a.m. Mr. Smith went to the bank.",
      "He left the bank at 6 P.M.",
      "Mr. Smith then went to the store.",
    ],
    ["The call is at 3 p.m. Friday. Dial 5.", "The call is at 3 p.m. Friday.", "Dial 5."],
    ["She came at 9 a.m. The cat was there.", "She came at 9 a.m.", "The cat was there."],
  ],
  "numbers and dates": [
    "Der Zug fährt am 3. Oktober um 8 Uhr ab.",
    ["3. Oktober 1990: ein Feiertag. Es regnete.", "3. Oktober 1990: ein Feiertag.", "Es regnete."],
    [
      "Den 5. maj 1945 blev Danmark befriet. Det var sent.",
      "Den 5. maj 1945 blev Danmark befriet.",
      "Det var sent.",
    ],
    ["Narodil se 2. října 1980 v Brně. Byl malý.", "Narodil se 2. října 1980 v Brně.", "Byl malý."],
    "Funde aus dem 1.-3. Jahrhundert und dem 19. Jahrhundert.",
    ["I am 12. My brother is 9. We live here.", "I am 12.", "My brother is 9.", "We live here."],
    [
      "It rose by 3.5 percent to $4.20. That is 1.000,50 more.",
      "It rose by 3.5 percent to $4.20.",
      "That is 1.000,50 more.",
    ],
  ],
  quotations: [
    ["「行くよ。」と彼は言った。彼女は笑った。", "「行くよ。」と彼は言った。", "彼女は笑った。"],
    ["「来る？」「うん。」二人は出た。", "「来る？」「うん。」", "二人は出た。"],
    ["我们去看《摔跤吧！爸爸》好吗？好！", "我们去看《摔跤吧！爸爸》好吗？", "好！"],
    ["“走吧。”他说。她没有动。", "“走吧。”他说。", "她没有动。"],
    "„Darf ich mitspielen?“, fragte sie.",
    [
      "“I will go. You stay here,” said Anna. She left.",
      "“I will go. You stay here,” said Anna.",
      "She left.",
    ],
    [
      'He said, "It is late. We must go." Then he left.',
      'He said, "It is late. We must go."',
      "Then he left.",
    ],
    ["«Куда ты? – спросил он. – Поздно». Она ушла.", "«Куда ты? – спросил он. – Поздно».", "Она ушла."],
    ["»Es ist spät. Wir gehen«, sagte er. Sie blieb.", "»Es ist spät. Wir gehen«, sagte er.", "Sie blieb."],
    ["He asked, ‘Where? When?’ and left. It’s late.", "He asked, ‘Where? When?’ and left.", "It’s late."],
    "The boys' school (It burnt down. Nobody died.) was here.",
    'He wrote "A … b [...]" (Smith 55).',
  ],
  pauses: [
    "I was not ... well, see . . . what I say, it is . . . I did not mean it.",
    ["I meant that.... She left.", "I meant that....", "She left."],
  ],
};

describe.each(Object.entries(KINDS))("%s", (_, cases) => {
  test.each(cases.map((one) => (typeof one === "string" ? [one, one] : one)))("%s", (text, ...expected) => {
    expect(split(text)).toEqual(expected);
  });
});

test("verse keeps its lines in a sentence, and a long one is cut at line ends", () => {
  const verse = "Roses are red,\nViolets are blue,\nSugar is sweet,\nAnd so are you.";
  expect(split(verse)).toEqual([verse]);
  const long = Array.from({ length: 40 }, (_, i) => `And line ${i}, of the poem, goes on and on`).join("\n");
  const pieces = split(long);
  expect(pieces.length).toBeGreaterThan(2);
  for (const piece of pieces) expect(piece).toMatch(/^And line \d+,[^]* on and on$/);
});

test("an over-long speech is cut into its sentences", () => {
  const speech = `“${"I saw the river rise again today. ".repeat(20).trim()}”`;
  expect(split(speech)).toHaveLength(20);
});
