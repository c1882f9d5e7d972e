/**
 * @file How long tests search: `npm test -- thorough` sets PALIMPSEST_THOROUGH and makes many rounds of random attacks,
 * made files and killed tabs, and runs the browser tests named "@thorough". The default makes few rounds. No other
 * place reads the variable.
 */

export const THOROUGH = process.env["PALIMPSEST_THOROUGH"] === "1";

/** `few` by default, `many` in the thorough stage: rounds of a loop, or the cases that it goes through. */
export const rounds = <T>(few: T, many: T): T => (THOROUGH ? many : few);
