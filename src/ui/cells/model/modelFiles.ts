/** @file Which of some dropped files make a model. */

import { counted } from "../../format.ts";
import type { NamedFile } from "../../controls/DropZone.tsx";

export type FoundModel =
  { readonly name: string; readonly files: ReadonlyMap<string, Blob> } | { readonly problem: string };

/** The model whose config.json lies highest among `dropped`: the files beside it, by their plain names. */
export function modelFiles(dropped: readonly NamedFile[]): FoundModel {
  const configs = dropped
    .filter(({ name }) => baseName(name) === "config.json")
    .toSorted((a, b) => a.name.split("/").length - b.name.split("/").length);
  const config = configs[0];
  if (!config)
    return {
      problem: `There is no config.json in what was dropped (${counted(dropped.length, "file")}). Choose a folder in Hugging Face layout.`,
    };
  const folder = config.name.slice(0, -"config.json".length);
  const files = new Map(
    dropped
      .filter(({ name }) => name.startsWith(folder) && !name.slice(folder.length).includes("/"))
      .map(({ name, file }) => [name.slice(folder.length), file]),
  );
  if (![...files.keys()].some((name) => name.endsWith(".safetensors")))
    return {
      problem: "There is no *.safetensors file beside config.json. Choose the folder with the weights.",
    };
  if (!files.has("tokenizer.json"))
    return {
      problem:
        "There is no tokenizer.json beside config.json, without which no text can be given to the model. Choose the folder with all its files.",
    };
  return { name: baseName(folder.replace(/\/$/, "")) || "dropped files", files };
}

const baseName = (path: string): string => path.slice(path.lastIndexOf("/") + 1);
