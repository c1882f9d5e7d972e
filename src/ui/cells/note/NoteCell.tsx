/** @file Markdown of the user's own: read until it is edited in place. */

import { useEffect, useRef, useState, Fragment, useMemo, type ReactNode } from "react";
import { type CellProps, useActions, useApp, useCanWrite } from "../../app.tsx";
import { goToCell } from "../../controls/page.ts";
import { Text, usePrinting } from "../../controls/basics.tsx";
import { lexer, type MarkedToken, type Token, type Tokens } from "marked";
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
        onChange={({ target }) => setInput(cell.id, "note", () => ({ text: target.value }))}
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

export function SafeMarkdown({ text }: { readonly text: string }) {
  const printing = usePrinting();
  const parts = useMemo(
    () => partsOf(text.slice(0, LONGEST)).map((part) => (part.plain ? part.text : lexer(part.text))),
    [text],
  );
  return (
    <>
      {parts.map((part, i) =>
        typeof part === "string" ? (
          <p key={i}>{part}</p>
        ) : (
          <Fragment key={i}>{drawn(part, printing)}</Fragment>
        ),
      )}
      {text.length > LONGEST && (
        <p>
          <em>The note goes on: {counted(text.length - LONGEST, "more character")} kept and not drawn.</em>
        </p>
      )}
    </>
  );
}

const drawn = (tokens: readonly Token[] = [], printing: boolean): ReactNode =>
  tokens.map((token, i) => <Fragment key={i}>{elementOf(token as MarkedToken, printing)}</Fragment>);

/** Tokens whose element has only their content. The page has its own h1 and h2. */
const TAGS = { paragraph: "p", blockquote: "blockquote", strong: "strong", em: "em", del: "del" } as const;
const HEADINGS = ["h3", "h4", "h5", "h6"] as const;

function elementOf(token: MarkedToken, printing: boolean): ReactNode {
  const inside = "tokens" in token ? drawn(token.tokens, printing) : null;
  switch (token.type) {
    case "paragraph":
    case "blockquote":
    case "strong":
    case "em":
    case "del": {
      const Tag = TAGS[token.type];
      return <Tag>{inside}</Tag>;
    }
    case "heading": {
      const Tag = HEADINGS[token.depth - 1] ?? "h6";
      return <Tag data-level={token.depth}>{inside}</Tag>;
    }
    case "text":
      return token.tokens ? inside : plain(token.text);
    case "escape":
      return token.text;
    case "codespan":
      return <code>{token.text}</code>;
    case "code":
      return (
        <pre>
          <code>{token.text}</code>
        </pre>
      );
    case "br":
      return <br />;
    case "hr":
      return <hr />;
    case "checkbox":
      return token.checked ? "☑ " : "☐ ";
    case "list": {
      const items = token.items.map((item, i) => <li key={i}>{drawn(item.tokens, printing)}</li>);
      return token.ordered ? <ol start={Number(token.start)}>{items}</ol> : <ul>{items}</ul>;
    }
    case "link":
      return <Link href={token.href} printing={printing} inside={inside} />;
    case "image":
      return <Picture token={token} printing={printing} />;
    case "table":
      return <MarkdownTable token={token} printing={printing} />;
    default:
      return null;
  }
}

const NAMED: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
};

/** Text with its character references resolved; rare names stay as they are typed. */
const plain = (text: string): string =>
  text.replace(
    /&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w+));/gi,
    (whole, decimal?: string, hex?: string, name = "") => {
      if (name) return NAMED[name as string] ?? whole;
      const code = decimal ? Number(decimal) : Number.parseInt(hex!, 16);
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : "\ufffd";
    },
  );

function Link({ href, printing, inside }: { href: string; printing: boolean; inside: ReactNode }) {
  const address = plain(href);
  if (printing)
    return (
      <>
        {inside}
        {address && <span className="soft"> ({address})</span>}
      </>
    );
  // An address with another scheme may run code.
  if (!/^(?:https?:|mailto:|[^:]*$|[^:]*[/?#])/i.test(address)) return inside;
  return (
    <a
      href={address}
      target={address.startsWith("#") ? undefined : "_blank"}
      rel="noopener noreferrer nofollow"
    >
      {inside}
    </a>
  );
}

/** Loading a picture from elsewhere would tell that server who reads what: it is named instead. */
function Picture({ token: { href, text }, printing }: { token: Tokens.Image; printing: boolean }) {
  if (printing) return <em>[picture: {text || "without a name"}]</em>;
  return isOurs(href) ? <img src={href} alt={text} /> : <em>[picture not loaded: {text || href}]</em>;
}

function isOurs(src: string): boolean {
  if (src === "") return false;
  try {
    return new URL(src, location.href).origin === location.origin;
  } catch {
    return false;
  }
}

function MarkdownTable({ token: { header, rows }, printing }: { token: Tokens.Table; printing: boolean }) {
  const cells = (row: readonly Tokens.TableCell[], Tag: "th" | "td"): ReactNode => (
    <tr>
      {row.map(({ tokens, align }, i) => (
        <Tag key={i} {...(align ? { style: { textAlign: align } } : {})}>
          {drawn(tokens, printing)}
        </Tag>
      ))}
    </tr>
  );
  return (
    <div data-table tabIndex={0} role="group" aria-label="Table">
      <table>
        <thead>{cells(header, "th")}</thead>
        <tbody>
          {rows.map((row, i) => (
            <Fragment key={i}>{cells(row, "td")}</Fragment>
          ))}
        </tbody>
      </table>
    </div>
  );
}
