/** @file The report as the text of a file. */

import { renderToStaticMarkup } from "react-dom/server";
import { TooltipProvider } from "../controls/Tooltip.tsx";
import { PrintingContext } from "../controls/printing.ts";
import type { ReportData } from "./figures.ts";
import { rulesFor } from "./pageStyle.ts";
import { ReportPage, type DrawnFigure } from "./ReportPage.tsx";
import { STYLE } from "./style.ts";

/** One HTML file that needs no network and runs no script; `sheets` are the app's own style sheets. */
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
  const rules = rulesFor(page(""), sheets);
  return `<!doctype html>\n${page(`${rules}${STYLE}`)}\n`;
}
