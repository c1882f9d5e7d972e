/** @file What a screen reader should say although nothing on the page says it in words. */

/** The element that is read aloud when its text changes; {@link announce} writes into it. */
export const ANNOUNCER = "announcer";

export function announce(words: string): void {
  const element = document.getElementById(ANNOUNCER);
  if (element) element.textContent = words;
}
