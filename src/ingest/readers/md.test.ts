import { describe, expect, test } from "vitest";
import { utf8 } from "../testing/archives.ts";
import { readFile } from "./readFile.ts";

const read = async (source: string): Promise<string> => (await readFile(utf8(source), "a.md")).document.text;

describe("Markdown", () => {
  test.each([
    [
      "emphasis and code",
      "Some *em*, **strong**, `code_x` and ~~old~~ text.",
      "Some em, strong, code_x and text.",
    ],
    [
      "links keep their words",
      'See [the map](http://a.b "t") and <https://c.d>.',
      "See the map and https://c.d.",
    ],
    ["pictures have none", "a ![alt](p.png) b", "a b"],
    ["line ends are kept", "one\ntwo  \nthree\n\nfour", "one\ntwo\nthree\n\nfour"],
    ["lists", "- a\n- b\n  1. c", "a\n\nb\n\nc"],
    ["task lists", "- [x] Buy chairs\n- [ ] Book a room", "Done: Buy chairs\n\nTo do: Book a room"],
    ["quotes", "> a\n> b", "a\nb"],
    ["tables", "| Item | Owner |\n|---|---|\n| Paint | Tom |", "Paint: owner Tom."],
    ["code blocks as they stand", "```js\nlet x = 1;\n  y*z*\n```", "let x = 1;\n  y*z*"],
    ["escapes", "\\*not em\\* a_b_c 2 * 3 * 4", "*not em* a_b_c 2 * 3 * 4"],
    ["footnotes", "A fact.[^1]\n\n[^1]: The note.", "A fact.\n\nThe note."],
    [
      "HTML inside, scripts dropped",
      "a <b>b</b>\n\n<script>alert(1)</script>\n\n<div onclick=x>c</div>",
      "a b\n\nc",
    ],
    ["inline scripts too", "a <script>alert(1)</script> b", "a b"],
    ["entities", "AT&amp;T &copy;", "AT&T ©"],
  ])("%s", async (_, source, expected) => {
    expect(await read(source)).toBe(expected);
  });

  test("headings are paragraphs", async () => {
    expect(await read("# One *a*\n\nx\n\nTwo\n---\n\ny")).toBe("One a\n\nx\n\nTwo\n\ny");
  });

  test("front matter is left out and said", async () => {
    const { document, notes } = await readFile(utf8("---\ntitle: x\n---\nText.\n\n---\n\nMore."), "a.md");
    expect(document.text).toBe("Text.\n\nMore.");
    expect(notes).toEqual([expect.stringMatching(/its front matter \(3 lines of settings\) was left out/)]);
  });

  test("a rule at the start is no front matter when nothing closes it", async () => {
    expect(await read("---\n\nText.")).toBe("Text.");
  });

  test("a long file is read in parts, with nothing lost, and a fence is not cut", async () => {
    const chapter = (i: number): string =>
      `# Chapter ${i}\n\n${"Mary saw it. ".repeat(500)}\n\n\`\`\`\n# no heading ${i}\n${"code\n".repeat(200)}\`\`\`\n`;
    const source = Array.from({ length: 60 }, (_, i) => chapter(i)).join("\n");
    const progress: number[] = [];
    const { document } = await readFile(utf8(source), "long.md", {
      onProgress: (done, total) => progress.push(done / total),
    });
    expect(progress.length).toBeGreaterThan(1);
    expect(progress.at(-1)).toBe(1);
    expect(document.text.match(/^Chapter \d+$/gm)).toEqual(
      Array.from({ length: 60 }, (_, i) => `Chapter ${i}`),
    );
    expect(document.text.match(/Mary saw it\./g)).toHaveLength(60 * 500);
    expect(document.text.match(/^# no heading \d+$/gm)).toHaveLength(60);
  });
});

test.each([
  ["nested quotes", "> ".repeat(5000)],
  ["nested lists", Array.from({ length: 300 }, (_, i) => `${"  ".repeat(i)}- a`).join("\n")],
  ["open brackets", "[".repeat(5000)],
  ["stars", "*a ".repeat(5000)],
  ["backticks", "`a".repeat(5000)],
  // A cost that grows with the square does not end within the time of a test.
])("hostile Markdown ends soon: %s", async (_, source) => {
  expect(await read(`${source}\n\nMary lives.`)).toContain("Mary lives.");
});
