/**
 * @file A drawing as a file: every SVG and canvas of it put into one SVG with the figure's title, caption and run, on
 * paper colours, styles written out and fonts by generic name, so that it looks alike wherever it is opened.
 */

import type { Figure } from "../../../figures/figure.ts";
import { repainted } from "./painters.ts";
import { sourceText } from "./text.ts";
import { wrapped } from "./measure.ts";

const SVG = "http://www.w3.org/2000/svg";
const MARGIN = 20;

/** Properties that a drawing's look rests on, with what SVG takes when nothing is said. */
const PROPERTIES: Readonly<Record<string, string>> = {
  fill: "rgb(0, 0, 0)",
  "fill-opacity": "1",
  stroke: "none",
  "stroke-width": "1px",
  "stroke-opacity": "1",
  "stroke-dasharray": "none",
  "stroke-linecap": "butt",
  "stroke-linejoin": "miter",
  opacity: "1",
  visibility: "visible",
  "font-size": "",
  "font-weight": "400",
  "font-style": "normal",
  "text-anchor": "start",
  "dominant-baseline": "auto",
  "text-decoration-line": "none",
  "paint-order": "normal",
  "shape-rendering": "auto",
};
const COLORS = new Set(["fill", "stroke"]);

/** The drawing inside `holder` as the text of an SVG file; without `words`, where they stand beside it, the drawing alone. */
export function drawingAsSvg(holder: HTMLElement, figure: Figure, words = true): string {
  return onPaper(() => {
    const box = holder.getBoundingClientRect();
    const margin = words ? MARGIN : 0;
    const width = Math.ceil(Math.max(320, box.width)) + 2 * margin;
    const root = document.createElementNS(SVG, "svg");
    const head = words ? heading(figure, width - 2 * margin) : NO_WORDS();
    const top = margin + head.height;
    const foot = words ? footing(figure, width - 2 * margin) : NO_WORDS();
    const end = top + Math.ceil(box.height) + (words ? 14 : 0);
    const height = end + foot.height + margin;
    for (const [name, value] of Object.entries({
      xmlns: SVG,
      width: String(width),
      height: String(height),
      viewBox: `0 0 ${width} ${height}`,
      role: "img",
      "aria-label": figure.title,
    }))
      root.setAttribute(name, value);
    root.append(rectangle(width, height), placed(head.group, margin, margin));
    for (const part of holder.querySelectorAll<SVGSVGElement | HTMLCanvasElement>("svg, canvas")) {
      if (part.parentElement?.closest("svg") || part.closest("[data-noexport]")) continue;
      const { left, top: partTop } = part.getBoundingClientRect();
      const copy = part instanceof HTMLCanvasElement ? canvasCopy(part) : svgCopy(part);
      root.append(placed(copy, margin + left - box.left, top + partTop - box.top));
    }
    root.append(placed(foot.group, margin, end));
    return `${new XMLSerializer().serializeToString(root)}\n`;
  });
}

/** The same as a PNG with `scale` pixels to a CSS pixel. Rejects when the browser cannot draw it. */
export async function drawingAsPng(holder: HTMLElement, figure: Figure, scale = 2): Promise<Blob> {
  const url = URL.createObjectURL(new Blob([drawingAsSvg(holder, figure)], { type: "image/svg+xml" }));
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = image.naturalWidth * scale;
    canvas.height = image.naturalHeight * scale;
    canvas.getContext("2d")!.drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise<Blob>((resolve, reject) =>
      canvas.toBlob((blob) => {
        if (blob) resolve(blob);
        else reject(new Error("charts: the browser made no PNG of this figure; export SVG instead"));
      }, "image/png"),
    );
  } finally {
    URL.revokeObjectURL(url);
  }
}

const PAPER = ["--paper", "--paper-raised"];

/** Runs `make` with the light theme in force. Nothing is painted in between: it all happens in one turn. */
function onPaper<T>(make: () => T): T {
  const root = document.documentElement;
  const before = root.dataset["theme"];
  root.dataset["theme"] = "light";
  // Printed figures stand on white, and so do the halos of their words.
  for (const name of PAPER) root.style.setProperty(name, "#ffffff");
  try {
    return make();
  } finally {
    for (const name of PAPER) root.style.removeProperty(name);
    if (before === undefined) delete root.dataset["theme"];
    else root.dataset["theme"] = before;
  }
}

function svgCopy(original: SVGSVGElement): SVGSVGElement {
  const copy = original.cloneNode(true) as SVGSVGElement;
  const from = [original, ...original.querySelectorAll("*")];
  const to = [copy, ...copy.querySelectorAll("*")];
  from.forEach((element, i) => writeStyle(element, to[i] as SVGElement));
  for (const dead of copy.querySelectorAll("style, [data-noexport], [data-gone]")) dead.remove();
  const { width, height } = original.getBoundingClientRect();
  copy.setAttribute("width", String(width));
  copy.setAttribute("height", String(height));
  copy.setAttribute("overflow", "visible");
  for (const name of ["tabindex", "role", "aria-label"]) copy.removeAttribute(name);
  return copy;
}

function writeStyle(from: Element, to: SVGElement): void {
  const style = getComputedStyle(from);
  // What is usual must be said where the element around it says otherwise.
  const around = from.parentElement ? getComputedStyle(from.parentElement) : null;
  if (style.display === "none") {
    to.setAttribute("data-gone", "");
    return;
  }
  to.removeAttribute("class");
  to.removeAttribute("style");
  const text = from.tagName === "text" || from.tagName === "tspan";
  for (const [name, usual] of Object.entries(PROPERTIES)) {
    const value = style.getPropertyValue(name);
    if (name.startsWith("font") && !text) continue;
    const inherits = (around?.getPropertyValue(name) ?? usual) === usual;
    if (value === "" || (value === usual && inherits)) to.removeAttribute(name);
    else to.setAttribute(name.replace("-line", ""), COLORS.has(name) ? plainColor(value) : value);
  }
  if (text) to.setAttribute("font-family", generic(style.fontFamily));
}

/** The last of a list of fonts is the generic one. */
const generic = (fonts: string): string => fonts.split(",").at(-1)!.trim() || "sans-serif";

const known = new Map<string, string>();

/** Any CSS colour as rgb() or rgba(), which every reader of SVG knows; "none" and references as they are. */
function plainColor(value: string): string {
  if (/^(none|rgba?\(|url\()/.test(value)) return value;
  const found = known.get(value);
  if (found) return found;
  const context = document.createElement("canvas").getContext("2d", { willReadFrequently: true })!;
  context.fillStyle = value;
  context.fillRect(0, 0, 1, 1);
  const [r, g, b, a] = context.getImageData(0, 0, 1, 1).data;
  const plain = a === 255 ? `rgb(${r}, ${g}, ${b})` : `rgba(${r}, ${g}, ${b}, ${(a! / 255).toFixed(3)})`;
  known.set(value, plain);
  return plain;
}

function canvasCopy(canvas: HTMLCanvasElement): SVGImageElement {
  const image = document.createElementNS(SVG, "image");
  const { width, height } = canvas.getBoundingClientRect();
  image.setAttribute("width", String(width));
  image.setAttribute("height", String(height));
  image.setAttribute("href", (repainted(canvas, 2) ?? canvas).toDataURL("image/png"));
  return image;
}

function placed(element: SVGElement, x: number, y: number): SVGElement {
  const group = document.createElementNS(SVG, "g");
  group.setAttribute("transform", `translate(${x.toFixed(2)} ${y.toFixed(2)})`);
  group.append(element);
  return group;
}

function rectangle(width: number, height: number): SVGElement {
  const paper = document.createElementNS(SVG, "rect");
  paper.setAttribute("width", String(width));
  paper.setAttribute("height", String(height));
  paper.setAttribute("fill", "#ffffff");
  return paper;
}

const NO_WORDS = () => ({ group: document.createElementNS(SVG, "g"), height: 0 });

function heading({ title, caption }: Figure, width: number) {
  const group = document.createElementNS(SVG, "g");
  const titles = wrapped(title, width, "600 16px serif");
  const lines = wrapped(caption, width, "400 12px sans-serif");
  titles.forEach((line, i) => group.append(textLine(line, 16 + 20 * i, ["serif", 16, 600, "#2a241d"])));
  const from = 20 * titles.length;
  lines.forEach((line, i) =>
    group.append(textLine(line, from + 16 + 16 * i, ["sans-serif", 12, 400, "#665c4e"])),
  );
  return { group, height: from + 16 * lines.length + 16 };
}

function footing({ source }: Figure, width: number) {
  const group = document.createElementNS(SVG, "g");
  const lines = wrapped(sourceText(source), width, "400 10px sans-serif");
  lines.forEach((line, i) => group.append(textLine(line, 10 + 13 * i, ["sans-serif", 10, 400, "#665c4e"])));
  return { group, height: 13 * lines.length };
}

function textLine(
  words: string,
  y: number,
  [family, size, weight, fill]: readonly [string, number, number, string],
): SVGElement {
  const line = document.createElementNS(SVG, "text");
  const attributes = { y, "font-family": family, "font-size": size, "font-weight": weight, fill };
  for (const [name, value] of Object.entries(attributes)) line.setAttribute(name, String(value));
  line.textContent = words;
  return line;
}
