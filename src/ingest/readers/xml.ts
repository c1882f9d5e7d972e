/**
 * @file The few facts that EPUB keeps in XML (container, package, table of contents), read tag by tag. No tree, no
 * DTD, no entities but those of HTML: nothing a hostile file could blow up.
 */

/** An element; names in lower case without their prefix ("opf:item" is "item"). */
export interface XmlTag {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  /** The text inside, white space collapsed, as far as a title goes: an outer element holds the whole file. */
  text(): string;
}

/** The elements of a document in the order in which they open. */
export async function xmlTags(source: string): Promise<XmlTag[]> {
  const { Tokenizer } = await import("parse5");
  const tags: (XmlTag & { from: number; to: number })[] = [];
  const open: number[] = [];
  let all = "";
  const text = ({ chars }: { chars: string }): void => void (all += chars);
  const ignore = (): void => undefined;
  new Tokenizer(
    {},
    {
      onStartTag({ tagName, attrs, selfClosing }) {
        const tag = {
          name: local(tagName),
          attributes: new Map(attrs.map((a) => [local(a.name), a.value])),
          from: all.length,
          to: selfClosing ? all.length : Infinity,
          text: (): string =>
            all
              .slice(tag.from, Math.min(tag.to, tag.from + LONGEST_TITLE))
              .replace(/\s+/g, " ")
              .trim(),
        };
        if (!selfClosing) open.push(tags.length);
        tags.push(tag);
      },
      onEndTag({ tagName }) {
        // One that closes nothing is ignored; looking further down would let a broken file cost its square.
        const top = tags[open.at(-1) ?? -1];
        if (top?.name !== local(tagName)) return;
        top.to = all.length;
        open.pop();
      },
      onCharacter: text,
      onWhitespaceCharacter: text,
      onNullCharacter: ignore,
      onComment: ignore,
      onDoctype: ignore,
      onEof: ignore,
    },
  ).write(source, true);
  return tags;
}

/** Characters, white space among them. */
const LONGEST_TITLE = 2000;

const local = (name: string): string => name.slice(name.lastIndexOf(":") + 1).toLowerCase();
