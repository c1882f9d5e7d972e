/** @file Subtitles and transcripts (.srt, .vtt) -> their words as running text, each sentence behind its speaker, if they name some. */

import { labelledSentences } from "./chat.ts";

const TIMING = /^[ \t]*(?:\d{1,3}:)?\d{1,2}:\d{2}[.,]\d{1,3}[ \t]*-->/;
/** An article about subtitles has fewer. */
const FEWEST_CUES = 3;
/** Parts of WebVTT that are not spoken. */
const NOT_SAID = /^(?:WEBVTT|NOTE|STYLE|REGION)(?=\s|$)/;
/** "<v Anna Berg>" of WebVTT. */
const VOICE = /^<v(?:\.[^\s<>]{0,60})?[ \t]{1,9}([^<>\n]{1,60})>/;
/** "Anna: …", "- Dr. Weber: …", ">> ANNA: …". */
const SPEAKER = /^(?:[-–—] |>> ?)?((?:\p{Lu}\p{L}{0,3}\. ){0,2}\p{Lu}[^:<>"“”\n.?!]{0,40}): +(?=\S)/u;
/** Before the words of another speaker. */
const REPLY = /^(?:[-–—] |>> ?)(?=\S)/;
const TAGS =
  /<\/?(?:[biu]|ruby|rt)>|<\/?(?:[cv]|lang|font)(?=[\s.>])[^<>\n]{0,60}>|<\d{1,3}:[\d:.]{1,12}>|\{\\[^{}\n]{0,40}\}/gi;
const ENTITIES: Readonly<Record<string, string>> = {
  ...{ amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'", nbsp: " ", lrm: "", rlm: "" },
};
/** Words for each end of a sentence in a text with marks, at most; captions that a machine wrote often have none. */
const MOST_WORDS = 60;
const PASSAGE = 120;

interface Line {
  /** "" if it is not known. */
  readonly speaker: string;
  readonly text: string;
}

type Cue = readonly Line[];

/** Subtitles as described above, without numbers, times, styles and comments; any other text as it is. */
export function subtitleLines(given: string): string {
  if (!given.includes("-->")) return given;
  const lines = given.split(/\r\n?|\n/);
  const cues = lines.filter((line) => TIMING.test(line)).length;
  const blocks = lines.filter(
    (line, i) => line.trim() !== "" && (lines[i - 1] ?? "").trim() === "" && !NOT_SAID.test(line),
  ).length;
  if (cues < FEWEST_CUES || 2 * cues < blocks) return given;
  const told = named(withoutRepeats(cuesOf(lines)));
  const turns: { speaker: string; texts: string[] }[] = [];
  for (const { speaker, text } of told) {
    const last = turns.at(-1);
    if (last?.speaker === speaker) last.texts.push(text);
    else turns.push({ speaker, texts: [text] });
  }
  const words = told.map(({ text }) => text).join(" ");
  const ends = words.match(/[.?!。？！]["'”’)]?(?=\s|$)/g)?.length ?? 0;
  const hasMarks = words.split(/\s+/).length <= MOST_WORDS * ends;
  return turns
    .flatMap(({ speaker, texts }) => {
      const label = speaker === "" ? "" : `${speaker}: `;
      if (!hasMarks) return passages(texts).map((one) => label + one);
      return label === "" ? [texts.join(" ")] : labelledSentences(label, texts.join(" "));
    })
    .join("\n\n");
}

/** The lines below each time, also if no blank line parts them; what is above the first one is a cue as well. */
function cuesOf(lines: readonly string[]): Cue[] {
  const isVtt = NOT_SAID.test(lines[0]!.replace("\ufeff", ""));
  const cues: string[][] = [[]];
  let hidden = isVtt;
  lines.forEach((line, i) => {
    const opens = (lines[i - 1] ?? "").trim() === "";
    if (line.trim() === "") hidden = false;
    else if (TIMING.test(line)) {
      hidden = false;
      cues.push([]);
    } else if (isVtt && opens && NOT_SAID.test(line)) hidden = true;
    // The number or the name of the next cue.
    else if (TIMING.test(lines[i + 1] ?? "") && (opens || /^\d+$/.test(line.trim()))) return;
    else if (!hidden) cues.at(-1)!.push(line);
  });
  return cues.map(cueOf);
}

function cueOf(lines: readonly string[]): Line[] {
  let speaker = "";
  return lines
    .flatMap((line) => line.split(/(?=<v[.\s])/))
    .flatMap((line) => {
      speaker = VOICE.exec(line)?.[1]!.trim() ?? speaker;
      const text = line
        .replace(TAGS, "")
        .replace(/&([a-z#0-9]{1,5});/g, (all, name: string) => ENTITIES[name] ?? all)
        .trim();
      return text === "" ? [] : [{ speaker, text }];
    });
}

/** The cues without the lines that roll up from the one before, if most cues of more than one line begin with such. */
function withoutRepeats(cues: readonly Cue[]): readonly Cue[] {
  const lastOf = (i: number): string | undefined => cues[i - 1]?.at(-1)?.text;
  const long = [...cues.keys()].filter((i) => cues[i]!.length > 1 && i > 0);
  const rolling = long.filter((i) => cues[i]![0]!.text === lastOf(i)).length;
  if (2 * rolling <= long.length || rolling < FEWEST_CUES) return cues;
  return cues.map((cue, i) => (cue[0]?.text === lastOf(i) ? cue.slice(1) : cue));
}

/**
 * The lines, each with its speaker: that of its voice; or, if somebody speaks twice, of "Anna: Hello". A sentence that goes on has the same
 * one.
 */
function named(cues: readonly Cue[]): Line[] {
  const all = cues.flat();
  const labels = all.flatMap(({ text }) => SPEAKER.exec(text)?.[1] ?? []);
  const hasLabels = new Set(labels).size < labels.length && all.every(({ speaker }) => speaker === "");
  let current = "";
  let ended = true;
  return cues.flatMap((cue) =>
    cue.map(({ speaker, text: written }, i) => {
      const [label = "", name = ""] = (hasLabels && SPEAKER.exec(written)) || [];
      const isNew = REPLY.test(written) || (i === 0 && ended);
      current = speaker || name || (isNew ? "" : current);
      const text = written.slice(label.length).replace(REPLY, "");
      ended = /[.?!。？！]["'”’)]?$/.test(text);
      return { speaker: current, text };
    }),
  );
}

function passages(texts: readonly string[]): string[] {
  const made: string[] = [];
  for (const text of texts) {
    const last = made.at(-1);
    if (last !== undefined && last.length < PASSAGE) made[made.length - 1] = `${last} ${text}`;
    else made.push(text);
  }
  return made;
}
