/**
 * @file A chat template under limits. It is a program that came with a model: it could loop for ever, or grow a text
 * or a list until the memory is full.
 */

import { Environment, Interpreter, parse, tokenize } from "@huggingface/jinja";
import { assert, messageOf } from "../lib/assert.ts";

export interface ChatTemplate {
  /**
   * Renders the prompt for the given variables.
   * @throws naming the template, if it fails or exceeds a limit
   */
  render(given: Readonly<Record<string, unknown>>): string;
}

/**
 * Parses a template; `where` is the name of its file.
 * @throws naming the file, if the template is invalid
 */
export function chatTemplate(source: unknown, where: string): ChatTemplate {
  assert(
    typeof source === "string" && source.length <= LONGEST_SOURCE,
    () =>
      `engine: ${where}: the chat template is not a text of at most ${LONGEST_SOURCE} characters; ${ADVICE}`,
  );
  const program = attempt(where, () => parse(tokenize(source, { lstrip_blocks: true, trim_blocks: true })));
  return {
    render: (given) =>
      attempt(where, () => {
        const environment = new Environment();
        for (const [name, value] of Object.entries({ ...GLOBALS, ...given })) environment.set(name, value);
        return String(new Limited(environment).run(program).value);
      }),
  };
}

function attempt<T>(where: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new Error(`engine: ${where}: the chat template cannot be used (${messageOf(error)}); ${ADVICE}`, {
      cause: error,
    });
  }
}

/** Counts the interpreter's steps and checks the size of each result. */
class Limited extends Interpreter {
  #left = MOST_STEPS;

  override evaluate(...step: Parameters<Interpreter["evaluate"]>): ReturnType<Interpreter["evaluate"]> {
    const value = super.evaluate(...step);
    const size = typeof value.value === "string" || Array.isArray(value.value) ? value.value.length : 0;
    // Large results are slow to build and to traverse.
    this.#left -= 1 + size / SIZE_OF_A_STEP;
    assert(this.#left >= 0, () => `it did not come to an end in ${MOST_STEPS} steps`);
    assert(size <= LARGEST, () => `it made a value of ${size} characters or items; ${LARGEST} are allowed`);
    return value;
  }
}

/** Whole numbers from `start` up or down to `stop`, that one left out. */
function range(start: number, stop?: number, step = 1): number[] {
  const [from, to] = stop === undefined ? [0, start] : [start, stop];
  const length = Math.max(0, Math.ceil((to - from) / step));
  assert(
    length <= LONGEST_RANGE,
    () => `it asked for a range of ${length} numbers; ${LONGEST_RANGE} are allowed`,
  );
  return Array.from({ length }, (_, i) => from + i * step);
}

/** Python's strftime, as far as templates use it. */
function today(format: string): string {
  const now = new Date();
  const two = (value: number): string => String(value).padStart(2, "0");
  const month = (style: "long" | "short"): string => now.toLocaleDateString("en", { month: style });
  const parts: Readonly<Record<string, string>> = {
    Y: String(now.getFullYear()),
    m: two(now.getMonth() + 1),
    d: two(now.getDate()),
    b: month("short"),
    B: month("long"),
    H: two(now.getHours()),
    M: two(now.getMinutes()),
    "%": "%",
  };
  return format.replace(/%([YmdbBHM%])/g, (_, letter: string) => parts[letter]!);
}

const GLOBALS = {
  true: true,
  True: true,
  false: false,
  False: false,
  none: null,
  None: null,
  range,
  strftime_now: today,
  raise_exception(message: string): never {
    throw new Error(message);
  },
};

const ADVICE = "choose a model whose template works, or take the template away";
/** A prompt takes a few hundred; this many take half a second. */
const MOST_STEPS = 100_000;
const SIZE_OF_A_STEP = 10;
/** Characters of a text, items of a list: more than fits into any window. */
const LARGEST = 1_000_000;
const LONGEST_RANGE = 10_000;
const LONGEST_SOURCE = 1_000_000;
