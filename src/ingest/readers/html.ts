/** @file HTML -> text. Nothing is run, loaded or rendered. Made for hostile input: no recursion, bounded depth. */

import type { DefaultTreeAdapterTypes, Token } from "parse5";
import { wordSet } from "../../lib/format.ts";
import { decodeText } from "../text.ts";
import {
  Article,
  attribute,
  elementsOf,
  isMark,
  isPageNumber,
  mainOf,
  scriptOf,
  textOf,
  type Element,
  type Node,
} from "./furniture.ts";
import { isGerman, LONGEST_DATA, rowSentences, tableData } from "./tables.ts";
import { TextBuilder } from "./textBuilder.ts";
import { listNote, type Extracted, type Reader } from "./types.ts";

type Parse5 = typeof import("parse5");
type TextNode = DefaultTreeAdapterTypes.TextNode;

interface HtmlText {
  readonly text: string;
  readonly title: string;
  /** Set when the page was too deep, or too large, for a tree. */
  readonly flattened: boolean;
  /** Parts of a web page that are not its article, each as "Navigation: Home, About …". */
  readonly left: readonly string[];
}

export const readHtml: Reader = async (bytes, name, options): Promise<Extracted> => {
  const hints = { chosen: options.encoding, declared: declaredEncoding(bytes) };
  const { text: source, encoding, notes } = await decodeText(bytes, name, hints);
  const xhtml = /\.(?:xhtml|xht)$/i.test(name);
  const { text, title, flattened, left } = await htmlToText(source, { xhtml, page: true });
  const flat = `"${name}" nests its elements deeper than any page does, or has over ${MOST_ELEMENTS} of them; parts that it hides may appear in the text.`;
  const others = listNote(`"${name}": parts that are not the article were left out`, left);
  return { text, title, encoding, notes: [...notes, ...(flattened ? [flat] : []), ...others] };
};

/**
 * The visible text of a page: blocks are paragraphs, cells are set apart by tabs. @param page a page of the web, whose
 * navigation and the like are left out @param xhtml whether `<p/>` closes itself @param lines whether line ends are kept
 */
export async function htmlToText(
  source: string,
  { xhtml = false, page = false, lines = false } = {},
): Promise<HtmlText> {
  const parse5 = await import("parse5");
  const html = xhtml ? asHtml(source) : source;
  try {
    const root = parseGuarded(parse5, html);
    const article = page ? walk(root, new Article(mainOf(root)), lines) : null;
    // A page that is all furniture by its names keeps its text.
    return article?.text ? article : walk(root, null, lines);
  } catch (error) {
    if (!(error instanceof NoTree)) throw error;
    return flatten(parse5, html);
  }
}

export function declaredEncoding(bytes: Uint8Array): string | undefined {
  const head = String.fromCharCode(...bytes.subarray(0, 1024));
  return (
    /<meta[^>]+charset\s*=\s*["']?\s*([\w:-]+)/i.exec(head)?.[1] ??
    /^<\?xml[^>]+encoding\s*=\s*["']([\w:-]+)/i.exec(head)?.[1]
  );
}

class NoTree extends Error {}

/** The parser scans its open elements for most tags: without bounds a small file could keep it busy for hours. */
function parseGuarded(parse5: Parse5, html: string): Node {
  let depth = 0;
  let elements = 0;
  return parse5.parse(html, {
    treeAdapter: {
      ...parse5.defaultTreeAdapter,
      createElement(...parts) {
        elements += 1;
        if (elements > Math.min(html.length + FREE_ELEMENTS, MOST_ELEMENTS)) throw new NoTree();
        return parse5.defaultTreeAdapter.createElement(...parts);
      },
      onItemPush: () => {
        depth += 1;
        if (depth > DEEPEST) throw new NoTree();
      },
      onItemPop: () => void (depth -= 1),
    },
  });
}

/** Depth first; each frame is a list of siblings and the place in it. Only cells of tables are walked by recursion. */
function walk(root: Node, article: Article | null, lines: boolean): HtmlText {
  const page = new PageText(lines);
  const frames: { nodes: readonly Node[]; at: number; open: Element | null }[] = [];
  const descend = (node: Node, open: Element | null): void => {
    frames.push({ nodes: "childNodes" in node ? node.childNodes : [], at: 0, open });
  };
  descend(root, null);
  for (let frame = frames.at(-1); frame !== undefined; frame = frames.at(-1)) {
    const node = frame.nodes[frame.at];
    frame.at += 1;
    if (node === undefined) {
      frames.pop();
      if (frame.open) page.close(frame.open.tagName);
      if (frame.open && frame.open === article?.main) article.inside = false;
    } else if (node.nodeName === "#text") {
      if (!article?.isSkipped(node)) page.text((node as TextNode).value);
    } else if ("tagName" in node) {
      if (isHidden(node.tagName, node.attrs) || isMark(node) || article?.leavesOut(node)) continue;
      if (STRUCK.has(node.tagName) && isCorrected(node, frame.nodes, frame.at - 1)) continue;
      if (isPageNumber(node)) page.breakPage();
      else if (node.tagName === "math") page.text(formula(node));
      else if (isTaskBox(node))
        page.text(node.attrs.some(({ name }) => name === "checked") ? "Done: " : "To do: ");
      else {
        const script = scriptOf(node, page.tail);
        if (script !== undefined) {
          page.text(script);
          continue;
        }
        page.open(node.tagName);
        const data =
          node.tagName === "table" ? tableData(node, (cell) => walk(cell, null, false).text) : null;
        if (data === null) descend(node, node);
        else {
          const rows = rowSentences(data.rows, data.caption, isGerman(node));
          // An infobox repeats the heading of its page.
          if (page.endsWith(rows[0] ?? "")) rows.shift();
          for (const row of rows) page.block(row);
          page.close(node.tagName);
        }
      }
    } else descend(node, null);
  }
  return { ...page.finish(false), left: article?.left ?? [] };
}

function formula(math: Element): string {
  const source = elementsOf(math).find(
    (element) => element.tagName === "annotation" && attribute(element, "encoding") === "application/x-tex",
  );
  return source === undefined
    ? textOf(math)
    : textOf(source).replace(/^\{\\(?:display|text)style\s*(.*?)\s*\}$/s, "$1");
}

const isTaskBox = (element: Element): boolean =>
  element.tagName === "input" &&
  attribute(element, "type") === "checkbox" &&
  element.attrs.some(({ name }) => name === "disabled");

/** Handlers of the tokenizer for everything but tags: `text` gets the characters, the rest is left out. */
export function charactersTo(text: (token: Token.CharacterToken) => void) {
  const ignore = (): void => undefined;
  const others = { onNullCharacter: ignore, onComment: ignore, onDoctype: ignore, onEof: ignore };
  return { onCharacter: text, onWhitespaceCharacter: text, ...others };
}

/** All text of a page that has no usable tree, tag by tag; hidden elements look like shown ones here. */
function flatten({ Tokenizer, TokenizerMode }: Parse5, html: string): HtmlText {
  const page = new PageText(false);
  let dropped: string | null = null;
  const tokenizer = new Tokenizer(
    {},
    {
      onStartTag({ tagName, attrs }) {
        if (dropped === null && RAW_TEXT.has(tagName)) {
          dropped = tagName;
          tokenizer.state = TokenizerMode.RAWTEXT;
        } else if (dropped === null && !isHidden(tagName, attrs)) page.open(tagName);
      },
      onEndTag({ tagName }) {
        if (dropped === tagName) dropped = null;
        else if (dropped === null) page.close(tagName);
      },
      ...charactersTo(({ chars }) => void (dropped === null && page.text(chars))),
    },
  );
  tokenizer.write(html, true);
  return page.finish(true);
}

class PageText {
  readonly #body = new TextBuilder();
  readonly #title = new TextBuilder();
  #inTitle = false;
  #preformatted = 0;
  /** Length of the text where the newest cell of a row began; null before the first. */
  #cellStart: number | null = null;
  #brokenPage = false;
  /** Whether a term of a list of definitions has just ended, and the length of the text where it began. */
  #term = false;
  #termStart = 0;

  constructor(private readonly lines: boolean) {}

  get tail(): string {
    return this.#body.tail;
  }

  endsWith(text: string): boolean {
    return this.#body.endsWith(text);
  }

  open(tag: string): void {
    if (tag === "title") this.#inTitle = true;
    else if (HEADING.test(tag)) this.#body.gap("\n\n");
    else if (tag === "br") this.#body.gap("\n");
    else if (CELLS.has(tag)) this.#openCell();
    else if (tag === "dd" && this.#term) this.#openDefinition();
    else if (BLOCKS.has(tag) && this.#body.length !== this.#cellStart) this.#body.gap("\n\n");
    if (tag === "tr") this.#cellStart = null;
    this.#term = false;
    if (tag === "dt") this.#termStart = this.#body.length;
    if (PREFORMATTED.has(tag)) this.#preformatted += 1;
  }

  close(tag: string): void {
    if (tag === "title") this.#inTitle = false;
    else if (HEADING.test(tag) || BLOCKS.has(tag)) this.#body.gap("\n\n");
    if (PREFORMATTED.has(tag) && this.#preformatted > 0) this.#preformatted -= 1;
    this.#term = tag === "dt" && this.#body.length > this.#termStart;
  }

  block(text: string): void {
    this.#body.gap("\n\n");
    this.#body.preformatted(text);
    this.#body.gap("\n\n");
  }

  /** The place of a page number: a word that it divides is whole again. */
  breakPage(): void {
    this.#brokenPage = true;
  }

  /** Cells of data are in a line; those of a page laid out as a table are paragraphs. */
  #openCell(): void {
    const { length } = this.#body;
    if (this.#cellStart !== null && length - this.#cellStart <= LONGEST_DATA) this.#body.replaceGap("\t");
    this.#cellStart = length;
  }

  /** "Mayor: Anna Huber", from a term and its definition. */
  #openDefinition(): void {
    this.#body.replaceGap("");
    if (!/[\p{P}\s]$/u.test(this.tail)) this.#body.prose(":");
    this.#body.replaceGap(" ");
    this.#cellStart = this.#body.length;
  }

  text(text: string): void {
    if (this.#brokenPage && text.trim() !== "") {
      if (/^\p{Ll}/u.test(text)) this.#body.joinHyphen();
      this.#brokenPage = false;
    }
    if (this.#inTitle) this.#title.prose(text);
    else if (this.#preformatted > 0) this.#body.preformatted(text);
    else
      for (const [i, line] of (this.lines ? text.split("\n") : [text]).entries()) {
        if (i > 0) this.#body.wrap();
        this.#body.prose(line);
      }
    if (/\S/.test(text)) this.#term = false;
  }

  finish(flattened: boolean): HtmlText {
    return { text: this.#body.text, title: this.#title.text, flattened, left: [] };
  }
}

/** Whether a few words are struck out and others are not ("€20" before "€15"); a line that is struck out as a whole stays. */
function isCorrected(struck: Element, siblings: readonly Node[], at: number): boolean {
  if (textOf(struck, 2 * LONGEST_STRUCK).length > LONGEST_STRUCK) return false;
  return siblings
    .slice(Math.max(0, at - NEXT), at + NEXT + 1)
    .some(
      (other) =>
        !("tagName" in other && STRUCK.has(other.tagName)) && /[\p{L}\p{N}]/u.test(textOf(other, 200)),
    );
}

const STRUCK = wordSet("del s strike");
const LONGEST_STRUCK = 200;
/** Nodes on each side that are looked at. */
const NEXT = 3;

function isHidden(tag: string, attrs: readonly Token.Attribute[]): boolean {
  if (DROPPED.has(tag)) return true;
  return attrs.some(({ name, value }) => {
    // hidden="until-found" is text of the page that waits to be searched for.
    if (name === "data-footnote-ref") return true; // Markdown's mark "1" would stick to the word before it
    if (name === "hidden") return value.toLowerCase() !== "until-found";
    // Wikipedia hides the source of a formula behind its picture.
    return (
      name === "style" && HIDING_STYLE.test(value) && !attrs.some((other) => /mwe-math/.test(other.value))
    );
  });
}

/** XHTML as the HTML that means the same: self-closed elements closed, CDATA as text, no internal DTD. */
function asHtml(xhtml: string): string {
  return cdataAsText(withoutDoctype(xhtml)).replace(SELF_CLOSED, (all, tag: string, attributes: string) =>
    VOID.has(tag.toLowerCase()) ? all : `<${tag}${attributes}></${tag}>`,
  );
}

/** Searched end by end, here and below: an expression would look through the rest of the file from every start. */
function withoutDoctype(xhtml: string): string {
  const start = xhtml.search(/<!DOCTYPE/i);
  const first = xhtml.indexOf(">", start);
  const subset = xhtml.indexOf("[", start);
  const end = subset >= 0 && subset < first ? xhtml.indexOf(">", xhtml.indexOf("]", subset)) : first;
  return start < 0 || end < 0 ? xhtml : xhtml.slice(0, start) + xhtml.slice(end + 1);
}

function cdataAsText(xhtml: string): string {
  const parts: string[] = [];
  let at = 0;
  for (;;) {
    const start = xhtml.indexOf(CDATA, at);
    const end = start < 0 ? -1 : xhtml.indexOf("]]>", start);
    if (end < 0) break;
    const text = xhtml.slice(start + CDATA.length, end);
    parts.push(xhtml.slice(at, start), text.replaceAll("&", "&amp;").replaceAll("<", "&lt;"));
    at = end + "]]>".length;
  }
  return parts.length === 0 ? xhtml : [...parts, xhtml.slice(at)].join("");
}

const DEEPEST = 1500;
const FREE_ELEMENTS = 1000;
/** A page of 20 MB and more; a tree of this size takes some 300 MB. */
const MOST_ELEMENTS = 1_000_000;
const CDATA = "<![CDATA[";
const HEADING = /^h[1-6]$/;
const HIDING_STYLE = /(?:^|[;\s])(?:display\s*:\s*none|visibility\s*:\s*hidden)/i;
const PREFORMATTED = wordSet("pre listing xmp plaintext");
const CELLS = wordSet("td th");
/** Start tags after which the tokenizer must not look for tags; not `title`: its text is wanted. */
const RAW_TEXT = wordSet("script style textarea xmp iframe noembed noframes noscript");
/** No text of the page, or none that makes sense in a line. `rp`, `rt`: the reading set above a word. */
const DROPPED = wordSet(
  "script style template noscript iframe object embed canvas audio video svg noembed noframes " +
    "select datalist textarea rp rt",
);
const BLOCKS = wordSet(
  "address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption figure " +
    "footer form header hgroup hr html legend li listing main menu nav ol optgroup option p pre search section " +
    "summary table tbody tfoot thead tr ul xmp",
);
const VOID = wordSet("area base br col embed hr img input link meta param source track wbr");
const SELF_CLOSED = /<([a-z][\w:.-]*)((?:\s+[\w:.-]+(?:\s*=\s*(?:"[^"]*"|'[^']*'))?)*)\s*\/>/gi;
