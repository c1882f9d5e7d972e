/** @file `npm run tool -- icons`: draws public/icon.svg as the PNG files of the manifest, with the browser of the tests. */

import { chromium } from "@playwright/test";
import { readFile, writeFile } from "node:fs/promises";
import { findBrowser } from "../browser.ts";

/** A maskable icon keeps its drawing within the middle 80 %. */
const ICONS = [
  { file: "icon-180.png", size: 180, inset: 0 },
  { file: "icon-192.png", size: 192, inset: 0 },
  { file: "icon-512.png", size: 512, inset: 0 },
  { file: "icon-maskable-512.png", size: 512, inset: 0.1 },
] as const;

const svg = await readFile("public/icon.svg", "utf8");
const executablePath = findBrowser();
const browser = await chromium.launch({
  args: ["--headless=new", "--no-sandbox", "--disable-gpu"],
  ...(executablePath ? { executablePath } : {}),
});
for (const { file, size, inset } of ICONS) {
  const page = await browser.newPage({ viewport: { width: size, height: size } });
  const drawing = `<img src="data:image/svg+xml,${encodeURIComponent(svg)}" style="width:100%;height:100%">`;
  const paper = inset > 0 ? "#f8f4eb" : "transparent";
  await page.setContent(
    `<body style="margin:0;padding:${inset * size}px;box-sizing:border-box;height:${size}px;background:${paper}">${drawing}`,
  );
  await writeFile(`public/${file}`, await page.screenshot({ omitBackground: true }));
  await page.close();
}
await browser.close();
