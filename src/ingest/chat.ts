/** @file Exported chats and logs -> a line per sentence, each with its sender and time: alone it would not tell who wrote it. */

import { documentId } from "../records/ids.ts";
import { sentences } from "./sentences.ts";

/** "[12/03/2026, 18:04:11] Marta: ", "12.03.26, 6:04 PM - Marta: ", "[18:04] <marta> "; without a sender where a chat reports ("Marta left"). */
const STAMP =
  /^[\u200e\u200f]?\[?(?:(\d{1,4}[./-]\d{1,2}[./-]\d{1,4}),?[ T])?(\d{1,2}:\d{2}(?::\d{2})?(?:[ \u202f]?[AaPp]\.?[Mm]\.?)?)\]?(?: [-–])? /;
const SENDER = /^(?:<([^<>]{1,40})>|([^:<>]{1,40}):)[ \u200e]+/;
const FEWEST_MESSAGES = 3;
/** Of the lines that are not blank; a message may have several. */
const LEAST_SHARE = 0.5;
const NO_ID = documentId("0".repeat(64));

interface Message {
  readonly date: string;
  readonly label: string;
  readonly text: string;
}

/** A chat with a heading per day and "Marta (18:04): …" before each sentence; any other text as it is. */
export function chatLines(text: string): string {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== "");
  if (!lines.slice(0, FEWEST_MESSAGES).some((line) => STAMP.test(line))) return text;
  const messages: Message[] = [];
  let sent = 0;
  for (const line of lines) {
    const [stamp, date = "", time] = STAMP.exec(line) ?? [];
    const said = line.slice(stamp?.length);
    const [label, nick, name] = (stamp !== undefined && SENDER.exec(said)) || [];
    const last = messages.at(-1);
    if (label !== undefined) {
      sent += 1;
      const sender = (nick ?? name)!.trim();
      messages.push({ date, label: `${sender} (${time}): `, text: said.slice(label.length) });
    } else if (stamp === undefined && last)
      messages[messages.length - 1] = { ...last, text: `${last.text}\n${line}` };
    else messages.push({ date, label: "", text: line });
  }
  if (sent < FEWEST_MESSAGES || sent < LEAST_SHARE * lines.length) return text;
  let day = "";
  return messages
    .flatMap(({ date, label, text: said }) => {
      const heading = date === day ? [] : [date];
      day = date;
      const told = [...sentences({ id: NO_ID, title: "", text: said })];
      return [...heading, ...told.map((one) => label + one.text)];
    })
    .join("\n\n");
}
