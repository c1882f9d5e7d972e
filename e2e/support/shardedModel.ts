/** @file A made model in a real one's shape, as the files of a repository whose weights come in shards. */
import { createHash } from "node:crypto";
import { encodeHeader } from "../../src/lib/safetensors.ts";
import { readHeader } from "../../src/weights/checkpoint.ts";
import { readWhole } from "../../src/weights/modelFiles.ts";
import type { ByteSource } from "../../src/weights/source.ts";
import { madeModelFiles } from "../../tools/madeModel.ts";
import type { ModelShape } from "../../tools/modelShapes.ts";
import { playedFile, type PlayedFile } from "./playedHub.ts";

const WEIGHTS = "model.safetensors";
const HASHED_AT_ONCE = 2 ** 24;

/** The files of a model of `shape`, its weights in `count` shards with an index. */
export async function shardedModel(shape: ModelShape, count: number): Promise<Map<string, PlayedFile>> {
  const made = madeModelFiles(shape);
  const files = new Map<string, PlayedFile>();
  for (const name of made.names)
    if (name !== WEIGHTS) files.set(name, playedFile(Buffer.from((await readWhole(made, name))!)));
  const source = (await made.open(WEIGHTS))!;
  const { tensors } = await readHeader(source, WEIGHTS);
  const each = Math.ceil(tensors.length / count);
  const map: Record<string, string> = {};
  for (let i = 0; i < count; i++) {
    const part = tensors.slice(i * each, (i + 1) * each);
    const name = `model-${number(i + 1)}-of-${number(count)}.safetensors`;
    for (const tensor of part) map[tensor.name] = name;
    files.set(name, await joined(encodeHeader(part), source, part[0]!.start, part.at(-1)!.end));
  }
  files.set(
    `${WEIGHTS}.index.json`,
    playedFile(Buffer.from(JSON.stringify({ metadata: {}, weight_map: map }))),
  );
  return files;
}

const number = (n: number): string => String(n).padStart(5, "0");

/** `header` and behind it bytes [from, to) of `source`, read when they are asked for. */
async function joined(header: Uint8Array, source: ByteSource, from: number, to: number): Promise<PlayedFile> {
  const size = header.length + to - from;
  const read = async (start: number, end: number): Promise<Buffer> => {
    const inSource = (at: number): number => from + Math.max(0, at - header.length);
    const rest = await source.read(inSource(start), inSource(end));
    return Buffer.concat([header.subarray(start, end), rest]);
  };
  const hash = createHash("sha256");
  for (let at = 0; at < size; at += HASHED_AT_ONCE)
    hash.update(await read(at, Math.min(size, at + HASHED_AT_ONCE)));
  return { size, sha256: hash.digest("hex"), read };
}
