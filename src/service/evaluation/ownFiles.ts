/** @file The repository's data folder in a built app: each file has an address, and is fetched when needed. */

import type { PackedFiles } from "../types.ts";

const ROOT = "../../../data/";
const URLS = import.meta.glob<string>(
  ["../../../data/{babi,novels,probe,squad}/*.{gz,json}", "../../../data/fairytaleqa/val.jsonl.gz"],
  { query: "?url", import: "default", eager: true },
);

export const ownFiles: PackedFiles = {
  names: () => Promise.resolve(Object.keys(URLS).map((path) => path.slice(ROOT.length))),
  async read(path) {
    const response = await fetch(URLS[`${ROOT}${path}`]!);
    if (!response.ok)
      throw new Error(
        `evaluate: ${path} could not be fetched from the app's own address (status ${response.status}); connect to it once, then run again`,
      );
    return new Uint8Array(await response.arrayBuffer());
  },
};
