import { renderToStaticMarkup } from "react-dom/server";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { PrintingContext } from "../../controls/basics.tsx";
import { SafeMarkdown } from "./NoteCell.tsx";

const shown = (text: string, printing = false): string =>
  renderToStaticMarkup(
    <PrintingContext value={printing}>
      <SafeMarkdown text={text} />
    </PrintingContext>,
  );

describe("the Markdown of a note", () => {
  beforeEach(() => {
    const url = new URL("https://app.example/page/");
    vi.stubGlobal("location", { href: url.href, origin: url.origin });
    return () => vi.unstubAllGlobals();
  });

  it("has headings below those of the page", () => {
    expect(shown("# One\n\n##### Five")).toContain('<h3 data-level="1">One</h3>');
    expect(shown("# One\n\n##### Five")).toContain('<h6 data-level="5">Five</h6>');
  });

  it("drops HTML, in a line and in blocks, and keeps the words around it", () => {
    const html = shown(
      "a <b onclick=x>bold</b> <!-- c --> z\n\n<script>steal()</script>\n\n<div>\nblock\n</div>\n\nend",
    );
    expect(html).toContain("<p>a bold  z</p>");
    expect(html).toContain("<p>end</p>");
    expect(html).not.toMatch(/script|steal|onclick|block|<b/);
  });

  it("makes no link of an address that may run code, and opens others outside", () => {
    const html = shown(
      "[a](javascript:steal) [b](data:text/html,x) [c](JaVaScRiPt&colon;steal) [d](https://d.example)",
    );
    expect(html.match(/<a /g)).toHaveLength(1);
    expect(html).toContain(
      '<a href="https://d.example" target="_blank" rel="noopener noreferrer nofollow">d</a>',
    );
    expect(html).not.toMatch(/href="(?:javascript|data)/i);
    expect(shown("[here](#cell-1)")).toContain('<a href="#cell-1" rel=');
  });

  it("cannot leave an attribute", () => {
    const html = shown(
      '[x](https://e.example/"onmouseover="steal) ![a" onerror="steal](own.png"x "t\\" onload=\\"s")',
    );
    expect(html).not.toMatch(/" on/);
  });

  it("loads pictures of this origin alone, and names the others", () => {
    expect(shown("![own](../own.png)")).toContain('<img src="../own.png" alt="own">');
    for (const address of ["https://evil.example/p.png", "//evil.example/p.png", "data:image/png,x"])
      expect(shown(`![p](${address})`)).toContain("<em>[picture not loaded: p]</em>");
    expect(shown("![](own.png)", true)).toContain("[picture: without a name]");
  });

  it("prints links with their addresses", () => {
    expect(shown("[l](https://l.example/?a=1&b=2)", true)).toContain(
      'l<span class="soft"> (https://l.example/?a=1&amp;b=2)</span>',
    );
  });

  it("has tables that scroll, with aligned columns, and boxes as signs", () => {
    const html = shown("| a |\n|--:|\n| x<y |\n\n- [x] done\n- [ ] open");
    expect(html).toContain('tabindex="0" role="group" aria-label="Table"><table>');
    expect(html).toContain('<td style="text-align:right">x&lt;y</td>');
    expect(html).toContain("☑ done");
    expect(html).toContain("☐ open");
    expect(html).not.toContain("<input");
  });

  it("keeps a block that would take minutes as plain text, and says how much of a long note is not drawn", () => {
    expect(shown(`${"*a_ ".repeat(10_000)}<i>\n\nend`)).toContain("*a_ *a_ &lt;i>");
    expect(shown("word ".repeat(30_000))).toContain("50,000 more characters");
  });
});
