import { expect, it } from "vitest";
import { isOfKind } from "./answerKind.ts";

it.each([
  ["How many plots are there?", "37", true],
  ["How many plots are there?", "a dozen or so", true],
  ["How many members are there?", "£3", false],
  ["How deep is the pond?", "dark brown from peat", false],
  ["How deep is the pond?", "nearly four metres", true],
  ["How long did she stay?", "until the snow melted", true],
  ["When was the mill built?", "by the Corran family", true],
  ["When was the mill built?", "stone", false],
  ["When could they start?", "4 %", false],
  ["In which year did it burn?", "1931", true],
  ["Where is the show held?", "Saturday", false],
  ["Where is the show held?", "17 August", false],
  ["Where is the show held?", "May Street", true],
  ["Who has the key?", "last Tuesday at 14:30", false],
  ["Who has the key?", "May", true],
  ["Why did they leave?", "this autumn", false],
  ["Why did they leave?", "this autumn the lease ends", true],
  ["What is the telephone number of the office?", "between 8 and 17 o'clock", false],
  ["What is the telephone number of the office?", "030 555 21", true],
  ["What is the fare for the ferry?", "84 kilometres of road and not one light", false],
  ["What is the fare for the ferry?", "three pounds for grown people, half for others", true],
  ["How much does the lamp cost?", "80 or 90", true],
  ["How much is the ferry?", "free of charge", true],
  ["What is included in the price?", "breakfast and towels for all", true],
  ["What did the rent collector say?", "that the money was late this time", true],
  ["Whose phone number is 030 555 21?", "Anna Roth", true],
  ["What colour is the door?", "Saturday", true],
  ["Wann war das Fest?", "blau", true],
])("%s %s: %s", (question, words, fits) => {
  expect(isOfKind(words, question)).toBe(fits);
});
