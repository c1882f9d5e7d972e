import { assert, present } from "../../lib/assert.ts";
import type { ZipEntry } from "../../lib/zip.ts";
import { decodeText } from "../text.ts";
import { charactersTo, declaredEncoding } from "./html.ts";

export type Entries = ReadonlyMap<string, ZipEntry>;

/** @throws {Error} naming the book when a part that every EPUB has is missing, or its chapters are encrypted. */
export async function readPlan(entries: Entries, name: string) {
  const container = present(entries.get(CONTAINER), () => missing(name, CONTAINER));
  const roots = await tagsOf(container, name);
  const root = roots.find((tag) => tag.name === "rootfile")?.attributes.get("full-path");
  const path = present(root, () => missing(name, `the path of the package in ${CONTAINER}`));
  const tags = await tagsOf(
    present(entries.get(path), () => missing(name, path)),
    name,
  );
  const items = manifest(tags, path);
  const chapters = spine(tags, items);
  assert(chapters.length > 0, () => missing(name, `a list of chapters in ${path}`));
  await refuseDrm(entries, chapters, name);
  return { title: tags.find((tag) => tag.name === "title")?.text() ?? "", chapters };
}

export async function sourceOf(entry: ZipEntry, book: string): Promise<string | null> {
  const bytes = await entry.read();
  if (bytes.length === 0) return null;
  const hints = { declared: declaredEncoding(bytes) };
  return (await decodeText(bytes, `${entry.name}" in "${book}`, hints)).text;
}

async function tagsOf(entry: ZipEntry, book: string): Promise<XmlTag[]> {
  return xmlTags((await sourceOf(entry, book)) ?? "");
}

interface Item {
  readonly path: string;
  readonly type: string;
  readonly properties: string;
}

function manifest(tags: readonly XmlTag[], packagePath: string): Map<string, Item> {
  const items = new Map<string, Item>();
  for (const { name, attributes } of tags) {
    const path = name === "item" ? resolve(attributes.get("href") ?? "", packagePath) : null;
    if (path === null) continue;
    items.set(attributes.get("id") ?? "", {
      path,
      type: attributes.get("media-type") ?? "",
      properties: attributes.get("properties") ?? "",
    });
  }
  return items;
}

/** Chapters in reading order; the table of contents and full-page pictures contain no facts. */
function spine(tags: readonly XmlTag[], items: ReadonlyMap<string, Item>): string[] {
  const paths = new Set<string>();
  for (const { name, attributes } of tags) {
    const item = name === "itemref" ? items.get(attributes.get("idref") ?? "") : undefined;
    if (item && !/\bnav\b/.test(item.properties) && !item.type.startsWith("image/")) paths.add(item.path);
  }
  return [...paths];
}

/** Many free books scramble their fonts and call it encryption; only encrypted chapters are DRM. */
async function refuseDrm(entries: Entries, chapters: readonly string[], name: string): Promise<void> {
  const file = entries.get("META-INF/encryption.xml");
  if (!file) return;
  const locked = new Set<string>();
  let algorithm = "";
  for (const { name: tag, attributes } of await tagsOf(file, name)) {
    if (tag === "encrypteddata") algorithm = "";
    else if (tag === "encryptionmethod") algorithm ||= attributes.get("algorithm") ?? "";
    else if (tag === "cipherreference" && !FONT_SCRAMBLING.has(algorithm))
      locked.add(resolve(attributes.get("uri") ?? "", "") ?? "");
  }
  const count = chapters.filter((chapter) => locked.has(chapter)).length;
  if (count !== 0)
    throw new Error(
      `ingest: "${name}" is protected by DRM: ${count} of its ${chapters.length} chapters are encrypted ` +
        "(META-INF/encryption.xml); only the seller's reader can open it. Choose a copy without DRM",
    );
}

function resolve(href: string, from: string): string | null {
  try {
    const url = new URL(href, `https://epub.invalid/${from.split("/").map(encodeURIComponent).join("/")}`);
    return url.host === "epub.invalid" ? decodeURIComponent(url.pathname.slice(1)) : null;
  } catch {
    return null;
  }
}

function missing(name: string, what: string): string {
  return `ingest: "${name}" is not a readable EPUB: ${what} is missing; get the file again, or convert it`;
}

const CONTAINER = "META-INF/container.xml";
const FONT_SCRAMBLING = new Set(["http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC"]);

interface XmlTag {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  /** The text inside, white space collapsed, as far as a title goes: an outer element holds the whole file. */
  text(): string;
}

export async function xmlTags(source: string): Promise<XmlTag[]> {
  const { Tokenizer } = await import("parse5");
  const tags: (XmlTag & { from: number; to: number })[] = [];
  const open: number[] = [];
  let all = "";
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
      ...charactersTo(({ chars }) => void (all += chars)),
    },
  ).write(source, true);
  return tags;
}

const LONGEST_TITLE = 2000;

const local = (name: string): string => name.slice(name.lastIndexOf(":") + 1).toLowerCase();
