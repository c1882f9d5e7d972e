/** @file The report as the text of a file. */

import { renderToStaticMarkup } from "react-dom/server";
import type { ReportData } from "./figures.ts";
import { ReportPage, type DrawnFigure } from "./ReportPage.tsx";

/** One HTML file that needs no network and runs no script. */
export const reportHtml = (data: ReportData, figures: readonly DrawnFigure[]): string =>
  `<!doctype html>\n${renderToStaticMarkup(<ReportPage data={data} figures={figures} />)}\n`;
