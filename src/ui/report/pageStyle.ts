/** @file The rules of the app's own style sheets that a page of markup uses, as text for a page that stands alone. */

/** `sheets` in their order; rules that fetch something, and of classes that `markup` does not have, are left out. */
export function rulesFor(markup: string, sheets: Iterable<CSSStyleSheet>): string {
  const classes = new Set(
    [...markup.matchAll(/ class="([^"]*)"/g)].flatMap(([, names]) => names!.split(" ")),
  );
  return [...sheets].map(({ cssRules }) => used(cssRules, classes)).join("");
}

function used(rules: CSSRuleList, classes: ReadonlySet<string>): string {
  return [...rules].map((rule) => textOf(rule, classes)).join("");
}

function textOf(rule: CSSRule, classes: ReadonlySet<string>): string {
  if (rule instanceof CSSStyleRule)
    return isUsed(rule.selectorText, classes) ? withoutAddress(rule.cssText) : "";
  if (!(rule instanceof CSSMediaRule || rule instanceof CSSLayerBlockRule)) return "";
  const inner = used(rule.cssRules, classes);
  const head = rule instanceof CSSMediaRule ? `@media ${rule.media.mediaText}` : `@layer ${rule.name}`;
  return inner && `${head}{${inner}}`;
}

const isUsed = (selector: string, classes: ReadonlySet<string>): boolean =>
  [...selector.matchAll(/\.(-?[_a-zA-Z][\w-]*)/g)].every(([, name]) => classes.has(name!));

const withoutAddress = (text: string): string => (/url\(|@import/i.test(text) ? "" : `${text}\n`);
