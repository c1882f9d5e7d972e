/** @file Exported chats and logs -> a line per sentence, each with its sender and time: alone it would not tell who wrote it. */

import { documentId } from "../records/ids.ts";
import { sentences } from "./sentences.ts";

/** "[12/03/2026, 18:04:11] Marta: ", "12.03.26, 6:04 PM - Marta: ", "[18:04] <marta> "; without a sender where a chat reports ("Marta left"). */
const STAMP =
  /^[\u200e\u200f]?\[?(?:(\d{1,4}[./-]\d{1,2}[./-]\d{1,4}),?[ T])?(\d{1,2}:\d{2}(?::\d{2})?(?:[ \u00a0\u202f]?[AaPp]\.?[ \u00a0]?[Mm]\.?)?)\]?(?: [-–])? /;
/** Without quotation marks: 'Marta created group "Hut: 2026"' is a report. */
const SENDER = /^(?:<[ @+%&~]?([^<>]{1,40})>|([^:<>"„“”«»]{1,40}):)[ \u200e]+/;
const FEWEST_MESSAGES = 3;
/** The stamp of a chat in any case; a timetable, a diary or a calendar may have others. */
const OF_A_CHAT = /\]|[./-]\d+,?[ T].*[-–] $/;
/** Names per message behind other stamps, at most: what is before the colons of a timetable seldom recurs. */
const MOST_NAMES = 2 / 3;
/** Of the lines that are not blank; a message may have several. */
const LEAST_SHARE = 0.5;
/** With its label a sentence is at most as long as others, or it would be cut again. */
const MAX_CHARACTERS = 500;
const NO_ID = documentId("0".repeat(64));

interface Message {
  readonly date: string;
  readonly label: string;
  readonly text: string;
}

/** A chat with a heading per day and "Marta (18:04): …" before each sentence; any other text as it is. */
export function chatLines(text: string): string {
  const lines = text.split(/\r?\n/);
  const filled = lines.filter((line) => line.trim() !== "");
  const opening = filled.slice(0, FEWEST_MESSAGES).find((line) => STAMP.test(line));
  if (opening === undefined) return text;
  const isDated = STAMP.exec(opening)![1] !== undefined;
  const messages: Message[] = [];
  const doubtful = new Set<string>();
  let sent = 0;
  for (const line of lines) {
    const found = STAMP.exec(line);
    // "12:30 is the train" in a message of a chat whose messages have dates.
    const [stamp, date = "", time] = found && (found[1] !== undefined || !isDated) ? found : [];
    const said = line.slice(stamp?.length);
    const [label, nick, name] = (stamp !== undefined && SENDER.exec(said)) || [];
    const last = messages.at(-1);
    if (label !== undefined) {
      const sender = (nick ?? name)!.trim();
      sent += 1;
      if (nick === undefined && !OF_A_CHAT.test(stamp!)) doubtful.add(sender);
      messages.push({ date, label: `${sender} (${time}): `, text: said.slice(label.length) });
    } else if (stamp === undefined && last)
      messages[messages.length - 1] = { ...last, text: `${last.text}\n${line}` };
    else messages.push({ date, label: "", text: line });
  }
  if (sent < FEWEST_MESSAGES || sent < LEAST_SHARE * filled.length) return text;
  if (doubtful.size > MOST_NAMES * sent) return text;
  let day = "";
  return messages
    .flatMap(({ date, label, text: said }) => {
      const heading = date === day ? [] : [date];
      day = date;
      return [...heading, ...labelledSentences(label, said)];
    })
    .join("\n\n");
}

/** The sentences of a text that somebody said, each behind the label. */
export const labelledSentences = (label: string, said: string): string[] =>
  [...sentences({ id: NO_ID, title: "", text: said }, { maxCharacters: MAX_CHARACTERS })].map(
    (one) => label + one.text,
  );
