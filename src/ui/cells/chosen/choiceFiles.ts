/** @file Which of some dropped files make a model in the layout of transformers.js. */

import { DTYPES, onnxFile, type EmbedderDtype } from "../../../records/embedder.ts";
import type { NamedFile } from "../../controls/DropZone.tsx";
import { counted } from "../../format.ts";

export type FoundModel =
  | {
      readonly name: string;
      readonly files: ReadonlyMap<string, Blob>;
      /** Its weights, the most exact first. */
      readonly dtypes: readonly EmbedderDtype[];
    }
  | { readonly problem: string };

/**
 * The model whose config.json lies highest among `dropped`, by names relative to it. Loose weights (a picker tells no
 * folders) are taken for those of its onnx folder.
 * @param what what it is to be, for messages
 */
export function choiceFiles(dropped: readonly NamedFile[], what: string): FoundModel {
  const depth = ({ name }: NamedFile): number => name.split("/").length;
  const [config] = dropped
    .filter(({ name }) => name.split("/").at(-1) === "config.json")
    .sort((a, b) => depth(a) - depth(b));
  if (!config)
    return {
      problem: `There is no config.json in what was dropped (${counted(dropped.length, "file")}). ${layout(what)}`,
    };
  const folder = config.name.slice(0, -"config.json".length);
  const files = new Map(
    dropped
      .filter(({ name }) => name.startsWith(folder))
      .map(({ name, file }) => [inOnnx(name.slice(folder.length)), file]),
  );
  const missing = ["tokenizer.json", "tokenizer_config.json"].find((name) => !files.has(name));
  if (missing) return { problem: `There is no ${missing} beside config.json. ${layout(what)}` };
  const dtypes = DTYPES.filter((dtype) => files.has(onnxFile(dtype)));
  if (dtypes.length === 0)
    return { problem: `There is no onnx/model*.onnx beside config.json. ${layout(what)}` };
  return { name: folder.split("/").at(-2) ?? "dropped files", files, dtypes };
}

const inOnnx = (name: string): string => (/^model\w*\.onnx(_data\w*)?$/.test(name) ? `onnx/${name}` : name);

const layout = (what: string): string =>
  `Choose the folder of a ${what} in the layout of transformers.js: config.json, tokenizer.json, tokenizer_config.json and onnx/model*.onnx.`;
