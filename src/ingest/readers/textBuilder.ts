/** @file Pieces of marked-up text -> plain text with paragraphs; knows white space and breaks, but no markup. */

/** Weakest first: between two pieces of text the strongest gap asked for wins. */
const GAPS = ["", " ", "\t", "\n", "\n\n"] as const;
type Gap = (typeof GAPS)[number];

/** Collects text; gaps are written only between words, so that the result has no outer white space. */
export class TextBuilder {
  readonly #parts: string[] = [];
  #length = 0;
  #gap: Gap = "";

  prose(text: string): void {
    let first = true;
    for (const word of text.replace(INVISIBLE, "").split(SPACE)) {
      if (!first) this.gap(" ");
      first = false;
      if (word !== "") this.#write(word);
    }
  }

  preformatted(text: string): void {
    const lines = text.replace(/\r\n?/g, "\n");
    if (/\S/.test(lines)) this.#write(lines.replace(/^\n+/, "").trimEnd());
    if (/\s$/.test(lines)) this.gap(lines.endsWith("\n") ? "\n" : " ");
  }

  /** Asks for a gap before the next text; two line breaks make a paragraph. */
  gap(gap: Gap): void {
    const stronger = GAPS.indexOf(gap) > GAPS.indexOf(this.#gap) ? gap : this.#gap;
    this.#gap = gap === "\n" && this.#gap === "\n" ? "\n\n" : stronger;
  }

  /** Asks for a line end, which does not make a paragraph with another one. */
  wrap(): void {
    if (GAPS.indexOf(this.#gap) < GAPS.indexOf("\n")) this.#gap = "\n";
  }

  /** The last words, with a space if a gap was asked for. */
  get tail(): string {
    return this.#parts.slice(-5).join("").slice(-80) + (this.#gap && " ");
  }

  endsWith(text: string): boolean {
    // Words and gaps take turns.
    const pieces = 2 * text.split(" ").length;
    return `\n\n${this.#parts.slice(-pieces).join("")}`.endsWith(`\n\n${text}`);
  }

  replaceGap(gap: Gap): void {
    this.#gap = gap;
  }

  joinHyphen(): void {
    if (this.#gap !== "" || !/\p{L}[-\u2010]$/u.test(this.#parts.at(-1) ?? "")) return;
    this.#parts.push(this.#parts.pop()!.slice(0, -1));
    this.#length -= 1;
  }

  append(text: string): void {
    this.gap("\n\n");
    if (text === "") return;
    this.#write(text);
    this.gap("\n\n");
  }

  get length(): number {
    return this.#length;
  }

  get text(): string {
    return this.#parts.join("");
  }

  #write(text: string): void {
    const gap = this.#length > 0 ? this.#gap : "";
    this.#gap = "";
    if (gap !== "") this.#parts.push(gap);
    this.#parts.push(text);
    this.#length += gap.length + text.length;
  }
}

/** Space characters of HTML and the no-break space; no others, for they may mean something. */
const SPACE = /[ \t\n\r\f\u00a0]+/;
/** Soft hyphen, zero-width space and byte order mark would cut words in two that a reader sees whole. */
const INVISIBLE = /[\u00ad\u200b\ufeff]/g;
