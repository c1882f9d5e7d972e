/** @file Safe Markdown: no HTML, no remote images, links without referrer. */

import { useMemo } from "react";
import Markdown, { type Components, type Options } from "react-markdown";
import { counted } from "../../format.ts";
import { partsOf } from "../../../lib/markdownParts.ts";
import { usePrinting } from "../../controls/printing.ts";

export interface MarkdownProps {
  readonly text: string;
  /** Extensions of remark. */
  readonly plugins?: Options["remarkPlugins"];
}

export function SafeMarkdown({ text, plugins }: MarkdownProps) {
  const printing = usePrinting();
  const parts = useMemo(() => partsOf(text.slice(0, LONGEST)), [text]);
  return (
    <>
      {parts.map((part, i) =>
        part.plain ? (
          <p key={i}>{part.text}</p>
        ) : (
          <Markdown
            key={i}
            remarkPlugins={plugins ?? null}
            skipHtml
            components={printing ? PRINTED : COMPONENTS}
          >
            {part.text}
          </Markdown>
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

/** Longer notes are drawn at once and would block the page. */
const LONGEST = 100_000;

const COMPONENTS: Components = {
  // The page has its own h1 and h2 (notebook and cell titles).
  h1: ({ children }) => <h3 data-level="1">{children}</h3>,
  h2: ({ children }) => <h4 data-level="2">{children}</h4>,
  h3: ({ children }) => <h5 data-level="3">{children}</h5>,
  a: ({ href, children }) => (
    <a href={href} target={href?.startsWith("#") ? undefined : "_blank"} rel="noopener noreferrer nofollow">
      {children}
    </a>
  ),
  // Loading a picture from elsewhere would tell that server who reads what: it is named instead.
  img: ({ src, alt }) =>
    isOurs(src) ? <img src={src} alt={alt ?? ""} /> : <em>[picture not loaded: {alt || String(src)}]</em>,
  table: ({ children }) => (
    <div data-table tabIndex={0} role="group" aria-label="Table">
      <table>{children}</table>
    </div>
  ),
};

/** In print, links show their address and pictures their name. */
const PRINTED: Components = {
  ...COMPONENTS,
  a: ({ href, children }) => (
    <>
      {children}
      {href && <span className="soft"> ({href})</span>}
    </>
  ),
  img: ({ alt }) => <em>[picture: {alt || "without a name"}]</em>,
};

function isOurs(src: unknown): src is string {
  if (typeof src !== "string" || src === "") return false;
  try {
    return new URL(src, location.href).origin === location.origin;
  } catch {
    return false;
  }
}
