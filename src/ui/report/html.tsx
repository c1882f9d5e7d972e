/** @file The report as one HTML file that needs no network and runs no script. */

import { renderToStaticMarkup } from "react-dom/server";
import { TooltipProvider } from "../controls/Tooltip.tsx";
import { PrintingContext } from "../controls/printing.ts";
import type { ReportData } from "./figures.ts";
import { ReportPage, type DrawnFigure } from "./ReportPage.tsx";
import { STYLE } from "./style.ts";

export function reportHtml(
  data: ReportData,
  figures: readonly DrawnFigure[],
  sheets: Iterable<CSSStyleSheet> = [],
): string {
  const page = (style: string): string =>
    renderToStaticMarkup(
      <PrintingContext value>
        <TooltipProvider>
          <ReportPage data={data} figures={figures} style={style} />
        </TooltipProvider>
      </PrintingContext>,
    );
  const classes = new Set(
    [...page("").matchAll(/ class="([^"]*)"/g)].flatMap(([, names]) => names!.split(" ")),
  );
  const rules = [...sheets].map(({ cssRules }) => usedRules(cssRules, classes)).join("");
  return `<!doctype html>\n${page(`${rules}${STYLE}`)}\n`;
}

function usedRules(rules: CSSRuleList, classes: ReadonlySet<string>): string {
  const isUsed = (selector: string): boolean =>
    [...selector.matchAll(/\.(-?[_a-zA-Z][\w-]*)/g)].every(([, name]) => classes.has(name!));
  return [...rules]
    .map((rule) => {
      if (rule instanceof CSSStyleRule)
        return isUsed(rule.selectorText) && !/url\(|@import/i.test(rule.cssText) ? `${rule.cssText}\n` : "";
      if (!(rule instanceof CSSMediaRule || rule instanceof CSSLayerBlockRule)) return "";
      const inner = usedRules(rule.cssRules, classes);
      const head = rule instanceof CSSMediaRule ? `@media ${rule.media.mediaText}` : `@layer ${rule.name}`;
      return inner && `${head}{${inner}}`;
    })
    .join("");
}
