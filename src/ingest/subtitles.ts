/** @file Subtitles and transcripts (.srt, .vtt) -> their words as running text, each sentence behind its speaker, if they name some. */

import { documentId } from "../records/ids.ts";
import { sentences } from "./sentences.ts";

const TIMING = /^[ \t]*(?:\d{1,3}:)?\d{1,2}:\d{2}[.,]\d{1,3}[ \t]*-->[^\n]*$/m;
const TIMINGS = new RegExp(TIMING.source, "gm");
/** An article about subtitles has fewer. */
const FEWEST_CUES = 3;
const HEADER = /^\s*(?:WEBVTT|NOTE|STYLE|REGION)\b/;
/** "<v Anna Berg>" of WebVTT. */
const VOICE = /<v(?:\.[^\s>]*)?[ \t]+([^>\n]{1,60})>/;
const SPEAKER = /^(?:>> ?)?(\p{Lu}[^:<>"“”\n.?!]{0,40}): +(?=\S)/u;
const TAGS = /<\/?[^<>\n]{0,60}>|\{\\[^{}\n]{0,40}\}/g;
const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", nbsp: " " };
/** With its label a sentence is at most as long as others, or it would be cut again. */
const MAX_CHARACTERS = 500;
/** Words for each end of a sentence in a text with marks, at most; captions that a machine wrote often have none. */
const MOST_WORDS = 60;
const PASSAGE = 120;
const NO_ID = documentId("0".repeat(64));

interface Line {
  readonly speaker: string;
  readonly text: string;
}

/** Subtitles as described above; any other text as it is. */
export function subtitleLines(given: string): string {
  const cues = given.match(TIMINGS)?.length ?? 0;
  const blocks = cues < FEWEST_CUES ? [] : given.replace(/\r\n?/g, "\n").split(/\n[ \t]*\n\s*/);
  if (cues < FEWEST_CUES || 2 * cues < blocks.length) return given;
  const lines = named(blocks.flatMap(linesOf));
  const turns: { speaker: string; texts: string[] }[] = [];
  for (const { speaker, text } of lines) {
    const last = turns.at(-1);
    if (last?.speaker === speaker) last.texts.push(text);
    else turns.push({ speaker, texts: [text] });
  }
  const words = lines.map(({ text }) => text).join(" ");
  const ends = words.match(/[.?!。？！]["'”’)]?(?=\s|$)/g)?.length ?? 0;
  const hasMarks = words.split(/\s+/).length <= MOST_WORDS * ends;
  return turns
    .flatMap(({ speaker, texts }) => {
      const told = hasMarks ? sentencesOf(texts.join(" ")) : passages(texts);
      return speaker === "" ? told.join(hasMarks ? " " : "\n\n") : told.map((one) => `${speaker}: ${one}`);
    })
    .join("\n\n");
}

/** The lines of a block below its time; roll-up captions repeat those of the block before, see {@link named}. */
function linesOf(block: string): Line[] {
  const time = TIMING.exec(block);
  if (!time && HEADER.test(block)) return [];
  const below = time ? block.slice(time.index + time[0].length) : block;
  let speaker = "";
  return below.split("\n").flatMap((line) => {
    speaker = VOICE.exec(line)?.[1]!.trim() ?? speaker;
    const text = line
      .replace(TAGS, "")
      .replace(/&(amp|lt|gt|nbsp);/g, (_, name: string) => ENTITIES[name]!)
      .replace(/^\s*[-–—] (?=\S)/, "")
      .trim();
    return text === "" ? [] : { speaker, text };
  });
}

/** The lines without repeated ones, each with its speaker: of "Anna: Hello", if Anna speaks twice, or of the line before. */
function named(given: readonly Line[]): Line[] {
  const lines = given.filter(({ text }, i) => text !== given[i - 1]?.text && text !== given[i - 2]?.text);
  const counts = new Map<string, number>();
  for (const { text } of lines) {
    const [, name] = SPEAKER.exec(text) ?? [];
    if (name !== undefined) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  let current = "";
  return lines.map(({ speaker, text }) => {
    const [label, name = ""] = SPEAKER.exec(text) ?? [];
    const labelled = label !== undefined && (counts.get(name) ?? 0) > 1;
    current = speaker !== "" ? speaker : labelled ? name : current;
    return { speaker: current, text: labelled ? text.slice(label.length) : text };
  });
}

const sentencesOf = (text: string): string[] =>
  [...sentences({ id: NO_ID, title: "", text }, { maxCharacters: MAX_CHARACTERS })].map((one) => one.text);

function passages(texts: readonly string[]): string[] {
  const made: string[] = [];
  for (const text of texts) {
    const last = made.at(-1);
    if (last !== undefined && last.length < PASSAGE) made[made.length - 1] = `${last} ${text}`;
    else made.push(text);
  }
  return made;
}
