/** @file Markdown of the user's own: read until it is edited in place. */

import { useEffect, useMemo, useRef, useState } from "react";
import { micromark } from "micromark";
import { gfm, gfmHtml } from "micromark-extension-gfm";
import { type CellProps, useActions, useApp, useCanWrite } from "../../app.tsx";
import { goToCell } from "../../controls/page.ts";
import { Text, usePrinting } from "../../controls/basics.tsx";
import { partsOf } from "../../../lib/markdownParts.ts";
import { counted } from "../../format.ts";
import s from "./NoteCell.module.css";

export function NoteCell({ cell }: CellProps<"note">) {
  const { setInput } = useActions();
  const canWrite = useCanWrite();
  const selected = useApp((state) => state.selected === cell.id);
  // One that was just added is there to be written in.
  const [editing, setEditing] = useState(canWrite && selected && cell.input.text === "");
  const area = useRef<HTMLTextAreaElement>(null);
  const { text } = cell.input;
  useEffect(() => {
    if (editing) area.current?.focus();
  }, [editing]);
  if (editing)
    return (
      <textarea
        ref={area}
        className={s.editor}
        aria-label="Note, in Markdown"
        value={text}
        placeholder="Write in Markdown"
        onChange={({ target }) => setInput(cell.id, "note", { text: target.value })}
        onBlur={() => setEditing(false)}
        onKeyDown={(event) => {
          if (
            event.key !== "Escape" &&
            !(event.key === "Enter" && (event.shiftKey || event.ctrlKey || event.metaKey))
          )
            return;
          event.preventDefault();
          setEditing(false);
          // The editor goes, and the focus with it, were it not for the cell.
          goToCell(cell.id);
        }}
      />
    );
  const edit = (): void => {
    if (canWrite) setEditing(true);
  };
  return (
    <div
      className={s.note}
      {...(canWrite ? { tabIndex: 0, role: "group", "aria-label": "Note. Press Enter to edit." } : {})}
      onDoubleClick={edit}
      onKeyDown={(event) => {
        if (event.key !== "Enter" || event.shiftKey || event.ctrlKey || event.metaKey) return;
        if (event.target !== event.currentTarget) return;
        event.preventDefault();
        edit();
      }}
    >
      {text.trim() === "" ? (
        <Text as="p" tone="soft" italic>
          {canWrite ? "An empty note. Double-click or press Enter to write." : "An empty note."}
        </Text>
      ) : (
        <SafeMarkdown text={text} />
      )}
    </div>
  );
}

/** Longer notes would block the page. */
const LONGEST = 100_000;

/** Markdown without its HTML. micromark itself leaves out addresses whose scheme may run code. */
export function SafeMarkdown({ text }: { readonly text: string }) {
  const printing = usePrinting();
  const html = useMemo(
    () =>
      partsOf(text.slice(0, LONGEST))
        .map((part) =>
          part.plain ? `<p>${escaped(part.text)}</p>` : ofThePage(micromark(part.text, OPTIONS), printing),
        )
        .join(""),
    [text, printing],
  );
  return (
    <>
      <div dangerouslySetInnerHTML={{ __html: html }} />
      {text.length > LONGEST && (
        <p>
          <em>The note goes on: {counted(text.length - LONGEST, "more character")} kept and not drawn.</em>
        </p>
      )}
    </>
  );
}

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

const WITHOUT_HTML: ReturnType<typeof gfmHtml> = {
  enter: {
    htmlFlow() {
      this.buffer();
    },
    htmlText() {
      this.buffer();
    },
  },
  exit: {
    htmlFlow() {
      this.resume();
    },
    htmlText() {
      this.resume();
    },
  },
};
const OPTIONS = { extensions: [gfm()], htmlExtensions: [gfmHtml(), WITHOUT_HTML] };

/** HTML of micromark, where every "<" begins a tag, with the elements that this page uses instead. */
const ofThePage = (html: string, printing: boolean): string =>
  html
    // The page has its own h1 and h2.
    .replace(/<h(\d)/g, (_, level) => `<h${Math.min(6, Number(level) + 2)} data-level="${level}"`)
    .replace(/<\/h(\d)/g, (_, level) => `</h${Math.min(6, Number(level) + 2)}`)
    .replace(/<input [^>]*>/g, (box) => (box.includes("checked") ? "☑" : "☐"))
    .replace(/<(t[hd]) align="(\w+)"/g, '<$1 style="text-align:$2"')
    .replaceAll("<table>", '<div data-table tabindex="0" role="group" aria-label="Table"><table>')
    .replaceAll("</table>", "</table></div>")
    .replace(/<img src="([^"]*)" alt="([^"]*)"[^>]*>/g, (_, src, alt) => picture(src, alt, printing))
    .replace(/<a href="([^"]*)"[^>]*>([^]*?)<\/a>/g, (_, href, inside) => link(href, inside, printing));

/** Loading a picture from elsewhere would tell that server who reads what: it is named instead. */
function picture(src: string, alt: string, printing: boolean): string {
  if (printing) return `<em>[picture: ${alt || "without a name"}]</em>`;
  return isOurs(src) ? `<img src="${src}" alt="${alt}">` : `<em>[picture not loaded: ${alt || src}]</em>`;
}

const isOurs = (src: string): boolean =>
  src !== "" && URL.canParse(src, location.href) && new URL(src, location.href).origin === location.origin;

function link(href: string, inside: string, printing: boolean): string {
  if (printing) return href ? `${inside}<span class="soft"> (${href})</span>` : inside;
  const target = href.startsWith("#") ? "" : ' target="_blank"';
  return href ? `<a href="${href}"${target} rel="noopener noreferrer nofollow">${inside}</a>` : inside;
}
