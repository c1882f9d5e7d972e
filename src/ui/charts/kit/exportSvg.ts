/** @file A drawing as one SVG or PNG with title, caption and source, in the light theme and with generic fonts. */

import type { Figure } from "../../../figures/figure.ts";
import { wrapped, sourceText } from "./text.ts";

const SVG = "http://www.w3.org/2000/svg";
const MARGIN = 20;

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
  "paint-order": "normal",
  "shape-rendering": "auto",
};
const COLORS = new Set(["fill", "stroke"]);

/** The drawing inside `holder` as the text of an SVG file; without `words` only the drawing. */
export const drawingAsSvg = (holder: HTMLElement, figure: Figure, words = true): string =>
  inLightTheme(() => {
    const box = holder.getBoundingClientRect();
    const margin = words ? MARGIN : 0;
    const width = Math.ceil(Math.max(320, box.width)) + 2 * margin;
    const head = words ? heading(figure, width - 2 * margin) : NO_WORDS;
    const foot = words ? textLines(sourceText(figure.source), width - 2 * margin, SOURCE) : NO_WORDS;
    const top = margin + head.height + (words ? 16 : 0);
    const end = top + Math.ceil(box.height) + (words ? 14 : 0);
    const height = end + foot.height + margin;
    const root = element("svg", {
      ...{ xmlns: SVG, width, height, viewBox: `0 0 ${width} ${height}` },
      ...{ role: "img", "aria-label": figure.title },
    });
    root.append(element("rect", { width, height, fill: "#ffffff" }), placed(head.lines, margin, margin));
    for (const part of holder.querySelectorAll("svg")) {
      if (part.parentElement?.closest("svg") || part.closest("[data-noexport]")) continue;
      const { left, top: partTop } = part.getBoundingClientRect();
      root.append(placed([svgCopy(part)], margin + left - box.left, top + partTop - box.top));
    }
    root.append(placed(foot.lines, margin, end));
    return `${new XMLSerializer().serializeToString(root)}\n`;
  });

/** The same as a PNG with two pixels per CSS pixel. Rejects if the browser cannot draw it. */
export async function drawingAsPng(holder: HTMLElement, figure: Figure): Promise<Blob> {
  const url = URL.createObjectURL(new Blob([drawingAsSvg(holder, figure)], { type: "image/svg+xml" }));
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = image.naturalWidth * 2;
    canvas.height = image.naturalHeight * 2;
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

/** Runs `make` with the light theme on white. It is synchronous, so nothing is painted in between. */
function inLightTheme<T>(make: () => T): T {
  const root = document.documentElement;
  const before = root.dataset["theme"];
  root.dataset["theme"] = "light";
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
  from.forEach((one, i) => writeStyle(one, to[i] as SVGElement));
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
  if (style.display === "none") {
    to.setAttribute("data-gone", "");
    return;
  }
  // A default must be written if the parent has another value.
  const around = from.parentElement ? getComputedStyle(from.parentElement) : null;
  to.removeAttribute("class");
  to.removeAttribute("style");
  const text = from.tagName === "text" || from.tagName === "tspan";
  for (const [name, usual] of Object.entries(PROPERTIES)) {
    if (name.startsWith("font") && !text) continue;
    const value = style.getPropertyValue(name);
    const inherits = (around?.getPropertyValue(name) ?? usual) === usual;
    if (value === "" || (value === usual && inherits)) to.removeAttribute(name);
    else to.setAttribute(name, COLORS.has(name) ? plainColor(value) : value);
  }
  // The last of a list of fonts is the generic one.
  if (text) to.setAttribute("font-family", style.fontFamily.split(",").at(-1)!.trim() || "sans-serif");
}

const known = new Map<string, string>();

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

function element(name: string, attributes: Readonly<Record<string, string | number>>): SVGElement {
  const made = document.createElementNS(SVG, name) as SVGElement;
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  return made;
}

function placed(elements: readonly SVGElement[], x: number, y: number): SVGElement {
  const group = element("g", { transform: `translate(${x.toFixed(2)} ${y.toFixed(2)})` });
  group.append(...elements);
  return group;
}

type Style = readonly [family: string, size: number, weight: number, fill: string];
const TITLE: Style = ["serif", 16, 600, "#2a241d"];
const CAPTION: Style = ["sans-serif", 12, 400, "#665c4e"];
const SOURCE: Style = ["sans-serif", 10, 400, "#665c4e"];
const NO_WORDS = { lines: [] as SVGElement[], height: 0 };

function textLines(words: string, width: number, [family, size, weight, fill]: Style, top = 0) {
  const pitch = size + 4;
  const lines = wrapped(words, width, `${weight} ${size}px ${family}`).map((line, i) => {
    const y = top + size + i * pitch;
    const text = { y, "font-family": family, "font-size": size, "font-weight": weight, fill };
    const made = element("text", text);
    made.textContent = line;
    return made;
  });
  return { lines, height: lines.length * pitch };
}

function heading({ title, caption }: Figure, width: number) {
  const first = textLines(title, width, TITLE);
  const second = textLines(caption, width, CAPTION, first.height);
  return { lines: [...first.lines, ...second.lines], height: first.height + second.height };
}
