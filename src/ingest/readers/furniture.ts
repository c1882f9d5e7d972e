/** @file Parts of a page that are not its text: marks of references, page numbers, twins of formulas, navigation and the like. */

import type { DefaultTreeAdapterTypes } from "parse5";

export type Element = DefaultTreeAdapterTypes.Element;
export type Node = DefaultTreeAdapterTypes.Node;

export const attribute = ({ attrs }: Element, wanted: string): string =>
  attrs.find(({ name, prefix }) => (prefix ? `${prefix}:${name}` : name) === wanted)?.value ?? "";

/** `root` and all that it holds, in the order of the text, without recursion; nothing inside an element that `ends`. */
function* nodesOf(root: Node, ends: (node: Node) => boolean = () => false): Generator<Node> {
  const open: Node[] = [root];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    yield node;
    if ("childNodes" in node && !ends(node)) open.push(...node.childNodes.toReversed());
  }
}

/** @param between set between blocks, items, and a link right behind another */
export function textOf(root: Node, limit = 2000, between = ""): string {
  let [text, apart, opened, linked] = ["", false, false, false];
  for (const node of nodesOf(root)) {
    if (text.length >= limit) break;
    const { nodeName } = node;
    if (nodeName === "a") {
      apart ||= linked;
      opened = true;
    } else if (APART.test(nodeName)) apart = true;
    if (nodeName !== "#text") continue;
    const { value } = node as DefaultTreeAdapterTypes.TextNode;
    if (between !== "" && value.trim() !== "") {
      if (apart && text !== "") text = `${text.trimEnd()}${between}`;
      [apart, linked, opened] = [false, opened, false];
    }
    text += value;
  }
  return text.replace(/\s+/g, " ").trim();
}

const APART = /^(?:li|p|div|t[dhr]|d[dt]|h[1-6]|br|option|button|label)$/;

export const elementsOf = (root: Node): Element[] =>
  [...nodesOf(root)].filter((node): node is Element => "tagName" in node && node !== root);

const classes = (element: Element): string =>
  ` ${attribute(element, "class")} ${attribute(element, "id")} `.toLowerCase();
const semantics = (element: Element): string =>
  ` ${attribute(element, "epub:type")} ${attribute(element, "role")} `.toLowerCase();

/** Marks that lead to a note, arrows back from it, and the second copy of a formula: dropped from every page and book. */
export function isMark(element: Element): boolean {
  const { tagName } = element;
  const kind = semantics(element);
  if (/\s(?:doc-)?(?:noteref|backlink)\s/.test(kind)) return true;
  const named = classes(element);
  if (TWIN.test(named)) return true;
  if (tagName === "sup" || tagName === "a") {
    if (/\s(?:reference|footnote-ref|noteref|fnref|footnote-back)\s/.test(named)) return true;
    const text = textOf(element, 40);
    if (/^\[\d{1,3}\]$/.test(text)) return true;
    if (tagName === "a" && /^[\u2191\u21a9]\ufe0e?$/.test(text)) return true;
    // <sup><a href="#n">1</a></sup>, or the other way round.
    const inner = element.childNodes.find(
      (node) => "tagName" in node && node.tagName === (tagName === "a" ? "sup" : "a"),
    ) as Element | undefined;
    const link = tagName === "a" ? element : inner;
    return inner !== undefined && /#/.test(attribute(link!, "href")) && NOTE_MARK.test(text);
  }
  return false;
}

/** Digits of `<sup>` and `<sub>` as characters ("m²", "H₂O"), "" for the mark of a note, undefined for others ("19th"). */
export function scriptOf(element: Element, before: string): string | undefined {
  const { tagName } = element;
  if (tagName !== "sup" && tagName !== "sub") return undefined;
  const text = textOf(element, 12).replace(/[\u2212\u2013]/g, "-");
  if (
    tagName === "sup" &&
    /^\d{1,3}(?:, ?\d{1,3})*$|^[*†‡]+$/.test(text) &&
    !isExponent(element, text, before)
  )
    return "";
  if (!/^[-+\d]+$/.test(text)) return undefined;
  const digits = tagName === "sup" ? "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻" : "₀₁₂₃₄₅₆₇₈₉₊₋";
  return text.replace(/./g, (sign) => digits["0123456789+-".indexOf(sign)]!);
}

/** Whether a raised number is one of a formula or a unit. @param before the text in front of it */
function isExponent(element: Element, text: string, before: string): boolean {
  // "¹⁴C"
  if (before === "" || before.endsWith(" ")) {
    const next = element.parentNode?.childNodes[element.parentNode.childNodes.indexOf(element) + 1];
    return next !== undefined && /^[A-Z][a-z]?(?!\p{L})/u.test(textOf(next, 4));
  }
  return text !== "1" && RAISED.test(before) && !/(?<!\d)(?:1[5-9]|20)\d\d$/.test(before);
}

/** The number of a printed page; an element with words of the text is not one. */
export function isPageNumber(element: Element): boolean {
  const marked = /\s(?:doc-)?pagebreak\s/.test(semantics(element)) || PAGE_CLASS.test(classes(element));
  return (
    marked && /^[\W_]*(?:(?:pg|page|p|s|seite)\b\.?)?\s*(?:\d+|[ivxlcdm]+)?[\W_]*$/i.test(textOf(element))
  );
}

function furnitureName(element: Element, inArticle: boolean): string | undefined {
  const { tagName } = element;
  if (KEPT.has(tagName)) return undefined;
  const role = attribute(element, "role").toLowerCase();
  const byTag = TAGS[tagName] ?? ROLES[role];
  if (
    byTag !== undefined &&
    !(inArticle && (tagName === "header" || tagName === "footer" || tagName === "aside"))
  )
    return byTag;
  const named = classes(element);
  const found = CLASSES.find(([pattern]) => pattern.test(named))?.[1];
  if (found !== undefined) return found;
  return (tagName === "ul" || tagName === "div" || tagName === "table" || tagName === "p") && isLinks(element)
    ? "Links"
    : undefined;
}

function isLinks(element: Element): boolean {
  const isLink = (node: Node): node is Element =>
    "tagName" in node && node.tagName === "a" && attribute(node, "href") !== "";
  let [links, linked, seen] = [0, 0, 0];
  for (const node of nodesOf(element, isLink)) {
    if (isLink(node)) {
      links += 1;
      linked += textOf(node, 200).length;
    }
    if ((seen += 1) > MOST_SEEN) return false;
  }
  return links >= 4 && linked > 0.8 * textOf(element).length;
}

/** The element that holds the article, by the marks that pages give it; undefined if none has most of the text. */
export function mainOf(root: Node): Element | undefined {
  const found = [...nodesOf(root, isMain)].filter(isMain);
  const length = (node: Node): number => textOf(node, 1e6).length;
  const all = found.length === 0 ? 0 : length(root);
  // A page of many articles is a list of them: all of it is kept.
  return found.length === 1 && length(found[0]!) > LEAST_SHARE * all ? (found[0] as Element) : undefined;
}

const isMain = (node: Node): boolean =>
  "tagName" in node &&
  (node.tagName === "main" ||
    node.tagName === "article" ||
    /\smain\s/.test(semantics(node)) ||
    /^(?:mw-content-text|content|main-?content|article-?body)$/i.test(attribute(node, "id")));

const isBackMatter = (heading: string): boolean =>
  BACK_MATTER.test(heading.replace(/\[[^\]]*\]\s*$/, "").trim());

const BACK_MATTER =
  /^(?:references|notes|footnotes|citations|sources|bibliography|notes and references|references and notes|see also|external links|further reading|einzelnachweise|anmerkungen|weblinks|literatur|siehe auch|quellen|références|notes et références|voir aussi|liens externes|bibliographie|referencias|véase también|enlaces externos|note|bibliografia|voci correlate|collegamenti esterni|примечания|литература|ссылки|см\. также|脚注|関連項目|外部リンク|出典|参考文献|参考资料|外部链接|参见|related articles|comments|share this|tags)$/i;
/** A digit, one letter, a word without vowels, a function, a unit behind a number, or brackets of a formula. */
const RAISED =
  /\d$|°$|(?<!\p{L})(?:\p{L}|[b-df-hj-np-tv-xz]{2,3}|sin|cos|tan|log|exp|µ\p{L})$|\d\s?(?:in|mi|min|nmi|miles?|foot|feet|inch(?:es)?|yards?|\p{L}{0,5}met(?:re|er)s?)$|\((?:[^()]*[-+−*/=^\d][^()]*|\p{L})\)$/iu;
const NOTE_MARK = /^[[(]?\s*(?:\d{1,3}|[a-z*†‡§]{1,2}|(?:note|nb|n)\s?\d+)\s*[\])]?$/i;
const TWIN =
  /\s(?:katex-html|mathjax_preview|mjx_assistive_mathml|ext-phonos|visually-hidden|visuallyhidden|sr-only|screen-reader-text)\s/;
const PAGE_CLASS =
  /\s(?:pagenum(?:ber)?|page-?(?:num|no|number|break)|x-ebookmaker-pageno|pageno|pb|folionum)\s/;
const TAGS: Readonly<Record<string, string>> = {
  nav: "Navigation",
  footer: "Footer",
  aside: "Sidebar",
  form: "Form",
  dialog: "Dialog",
  button: "Button",
  menu: "Menu",
  header: "Page header",
};
const ROLES: Readonly<Record<string, string>> = {
  navigation: "Navigation",
  contentinfo: "Footer",
  banner: "Page header",
  complementary: "Sidebar",
  search: "Search",
  dialog: "Dialog",
  alertdialog: "Dialog",
  menu: "Menu",
  menubar: "Menu",
  "doc-toc": "Contents",
  "doc-bibliography": "References",
  "doc-endnotes": "References",
};
const CLASSES: readonly (readonly [RegExp, string])[] = [
  [/\s(?:pg-boilerplate|pg-?header|pg-?footer|pg-machine-header)\s/, "Licence of Project Gutenberg"],
  [
    /\s(?:mw-editsection|editsection|edit-link|mw-jump-link|skip-?link|noprint|headerlink|anchorjs-link)\s/,
    "Edit links",
  ],
  [
    /\s(?:mw-)?(?:references(?:-wrap|-column\w*)?|reflist|refbegin|bibliography|citations?-list|footnotes?-list)\s/,
    "References",
  ],
  [
    /\s(?:nav|navbar|navbox\S*|navigation\S*|site-nav|main-nav|menu|breadcrumbs?|mw-portlet\S*|vector-\S*menu\S*|catlinks|sistersitebox|portalbox|pagination|pager|toc|table-of-contents)\s/,
    "Navigation",
  ],
  [/\s(?:site-)?(?:footer|printfooter|mw-footer\S*|copyright-notice|colophon)\s/, "Footer"],
  [/\s(?:site-header|masthead|banner|sitenotice|sitesub|hatnote|ambox|metadata|mbox-small)\s/, "Page header"],
  [
    /\s(?:sidebar|widget|related(?:-\S+)?|recommended|promo|newsletter|subscribe|share|sharing|social(?:-\S+)?)\s/,
    "Sidebar",
  ],
  [
    /\s(?:cookie\S*|consent\S*|gdpr|modal|popup|ad|ads|advert\S*|sponsor\S*|comments?|disqus\S*|respond)\s/,
    "Notices, advertisements and comments",
  ],
];
const KEPT = new Set(["html", "head", "body", "main", "article", "h1", "title"]);
const MOST_SEEN = 500;
const LEAST_SHARE = 0.2;

export class Article {
  readonly left: string[] = [];
  readonly #path = new Set<Node>();
  inside = false;
  #skipped: number | null = null;
  /** Footers with a telephone number or the like, and what they hold. */
  readonly #footers = new Set<Node | null>();

  constructor(readonly main: Element | undefined) {
    for (let node: Node | null = main ?? null; node; node = "parentNode" in node ? node.parentNode : null)
      this.#path.add(node);
  }

  leavesOut(element: Element): boolean {
    const { tagName } = element;
    if (element === this.main) this.inside = true;
    if (HEADING.test(tagName)) {
      const level = Number(tagName[1]);
      if (this.#skipped !== null && level <= this.#skipped) this.#skipped = null;
      if (level > 1 && this.#skipped === null && isBackMatter(textOf(element, 80))) this.#skipped = level;
    }
    const onTheWay = this.#path.has(element) || tagName === "head" || tagName === "title";
    if (this.#footers.has(element.parentNode) && furnitureName(element, this.inside) === undefined) {
      const isLine = APART.test(tagName) && !elementsOf(element).some((inner) => APART.test(inner.tagName));
      if (isLine && !CONTACT.test(textOf(element))) {
        this.#leave("Footer", element);
        return true;
      }
      this.#footers.add(element);
      return false;
    }
    const name =
      furnitureName(element, this.inside) ?? (this.main && !this.inside ? "Outside the article" : undefined);
    if (name === undefined || onTheWay) {
      if (this.#skipped === null || element.childNodes.some((child) => "tagName" in child)) return false;
      this.#leave("End matter", element);
      return true;
    }
    // People ask for the telephone number, which is often nowhere else on the page.
    if (name === "Footer" && CONTACT.test(textOf(element))) {
      this.#skipped = null;
      this.#footers.add(element);
      return false;
    }
    this.#leave(name, element);
    return true;
  }

  isSkipped(node: Node): boolean {
    return this.#skipped !== null && "parentNode" in node && node.parentNode !== null;
  }

  #leave(name: string, element: Element): void {
    const text = textOf(element, LONGEST_LEFT, " · ");
    if (text !== "" && this.left.length < MOST_LEFT)
      this.left.push(`${name}: ${text.slice(0, LONGEST_LEFT)}`);
  }
}

const HEADING = /^h[1-6]$/;
/** A telephone number that is not a date; an e-mail address; or the number of a registered society. */
const CONTACT =
  /(?<![\d./-])(?!\d{1,2}[./-]\d{1,2}[./-]\d{2,4}\b)(?:\+|\(?0|\(\d{3}\))\d?[\d\s()./-]{5,}\d|[^\s@]@[^\s@]+\.\p{L}|\b(?:registered|reg|charity|company)\b[^\d]{0,30}\d{5,}/iu;
const [MOST_LEFT, LONGEST_LEFT] = [200, 160];
