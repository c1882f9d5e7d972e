/** @file Small text formatting shared by prompts, messages and reports. */

import { messageOf } from "./assert.ts";

export const wordSet = (...lines: string[]): ReadonlySet<string> => new Set(lines.join(" ").split(/\s+/));

const whole = new Intl.NumberFormat("en-GB");

export const grouped = (value: number): string => whole.format(value);

export const many = (count: number, noun: string, plural = `${noun}s`): string =>
  `${grouped(count)} ${count === 1 ? noun : plural}`;

/** Replaces every {name} of `template` by its value. Throws if a value is missing. */
export const fill = (template: string, values: Readonly<Record<string, string>>): string =>
  template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined)
      throw new Error(`format: the template "${template}" asks for {${name}}, which is not given`);
    return value;
  });

/** An error's message for the page, without the leading areas of the code ("hub: …"). */
export function withoutArea(message: string): string {
  const words = message.replace(AREAS, "");
  if (words === message || /^[\w$]*[[.(]/.test(words)) return words; // A name in code keeps its letters.
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export const toldOf = (error: unknown): string => withoutArea(messageOf(error));

const AREAS =
  /^(?:(?:app|archive|bench|csv|engine|extract|figures|flow|format|graph|hub|ingest|library|memory|notebook|plan|records|router|rpc|runtime|safetensors|service|state|store|ui|weights|zip): )+/;
