/** @file E-mails: the head that people read, decoded text or page, and what was left out. */

import { expect, it } from "vitest";
import { readEml } from "./eml.ts";

const read = (lines: readonly string[]) => readEml(new TextEncoder().encode(lines.join("\r\n")), "a.eml", {});

it("a letter with a plain text, a page and an attachment", async () => {
  const found = await read([
    "Received: from mail.example.org",
    "From: =?utf-8?Q?Anna_K=C3=B6nig?= <anna@example.org>",
    "Subject: =?utf-8?Q?Treffen_n=C3=A4chste_Woche?=",
    "Date: Mon, 3 Nov 2025 10:12:00 +0100",
    "MIME-Version: 1.0",
    'Content-Type: multipart/mixed; boundary="m"',
    "",
    "--m",
    'Content-Type: multipart/alternative; boundary="a"',
    "",
    "--a",
    "Content-Type: text/plain; charset=utf-8",
    "Content-Transfer-Encoding: quoted-printable",
    "",
    "Bring bitte die Schl=C3=BCssel f=",
    "=C3=BCr das Caf=C3=A9 mit.",
    "",
    "> Wann treffen wir uns?",
    "--a",
    "Content-Type: text/html",
    "",
    "<p>Another form of it</p>",
    "--a--",
    "--m",
    'Content-Type: application/pdf; name="plan.pdf"',
    'Content-Disposition: attachment; filename="plan.pdf"',
    "Content-Transfer-Encoding: base64",
    "",
    "JVBERi0=",
    "--m--",
  ]);
  expect(found.title).toBe("Treffen nächste Woche");
  expect(found.text).toBe(
    "From: Anna König <anna@example.org>\nDate: Mon, 3 Nov 2025 10:12:00 +0100\nSubject: Treffen nächste Woche\n\n" +
      "Bring bitte die Schlüssel für das Café mit.\n\nWann treffen wir uns?",
  );
  expect(found.notes).toEqual(['"a.eml" has attachments, which were left out (1).\nplan.pdf']);
});

it("a page alone", async () => {
  const { text } = await read(["From: a@example.org", "Content-Type: text/html", "", "<p>Hi <b>you</b></p>"]);
  expect(text).toBe("From: a@example.org\n\nHi you");
});

it("eight-bit text of an encoding that is not declared, with a note", async () => {
  const lines = [
    "From: a@example.org",
    "Content-Type: text/plain",
    "",
    "Jürgen Müller bringt die Schlüssel für Köln.",
  ];
  const bytes = Uint8Array.from(lines.join("\r\n"), (letter) => letter.charCodeAt(0));
  const { text, notes } = await readEml(bytes, "a.eml", {});
  expect(text).toContain("Jürgen Müller bringt die Schlüssel für Köln.");
  expect(notes).toEqual([expect.stringContaining('"a.eml" is not valid UTF-8')]);
});

it("the page, if the plain text is only a line about it", async () => {
  const { text } = await read([
    "From: a@example.org",
    'Content-Type: multipart/alternative; boundary="a"',
    "",
    "--a",
    "Content-Type: text/plain",
    "",
    "See the page.",
    "--a",
    "Content-Type: text/html",
    "",
    "<p>The fee is 96 pounds. It is due in May.</p>",
    "--a--",
  ]);
  expect(text).toContain("The fee is 96 pounds.");
});

it("what is no e-mail, or has parts within parts without end, is refused by name", async () => {
  await expect(read(["Just words"])).rejects.toThrow('"a.eml" does not begin like an e-mail');
  const nested = Array.from({ length: 5000 }, (_, i) => [
    `Content-Type: multipart/mixed; boundary="b${i}"`,
    "",
    `--b${i}`,
  ]).flat();
  await expect(read(nested)).rejects.toThrow('"a.eml" is not a readable e-mail');
});
