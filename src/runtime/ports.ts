/** @file Checks the inputs of a session: names, types and dimensions, with messages that name session and tensor. */
import type { InferenceSession } from "onnxruntime-common";
import type { DType } from "../graph/ir.ts";
import type { DeviceTensor } from "./device.ts";
import { isTensorType } from "./tensors.ts";

export interface Port {
  readonly name: string;
  readonly type: DType;
  readonly dims: readonly (number | string)[];
}

export const readPorts = (
  session: string,
  metadata: readonly InferenceSession.ValueMetadata[],
): readonly Port[] =>
  metadata.map((port) => {
    const type = port.isTensor ? port.type : "not a tensor";
    if (!(port.isTensor && isTensorType(type)))
      throw new Error(`session ${session}: "${port.name}" is ${type}, which the runtime does not carry`);
    return { name: port.name, type, dims: port.shape };
  });

export function checkWeights(
  session: string,
  ports: readonly Port[],
  weights: Readonly<Record<string, DeviceTensor>>,
): void {
  const byName = new Map(ports.map((port) => [port.name, port]));
  for (const [name, tensor] of Object.entries(weights)) {
    const port = byName.get(name);
    if (!port)
      throw new Error(
        `session ${session}: weight "${name}" is not an input of the graph; its inputs are ${list([...byName.keys()])}`,
      );
    checkTensor(session, port, tensor, new Map());
  }
}

export function checkFeeds(
  session: string,
  ports: readonly Port[],
  feeds: Readonly<Record<string, DeviceTensor>>,
): void {
  const symbols = new Map<string, { size: number; name: string }>();
  for (const port of ports) {
    const tensor = feeds[port.name];
    if (!tensor)
      throw new Error(`session ${session}: input "${port.name}" is not fed; got ${list(Object.keys(feeds))}`);
    checkTensor(session, port, tensor, symbols);
  }
  if (Object.keys(feeds).length === ports.length) return;
  const known = new Set(ports.map((port) => port.name));
  const extra = Object.keys(feeds).filter((name) => !known.has(name));
  throw new Error(`session ${session}: ${list(extra)} fed, but the graph's inputs are ${list([...known])}`);
}

function checkTensor(
  session: string,
  port: Port,
  tensor: DeviceTensor,
  symbols: Map<string, { size: number; name: string }>,
): void {
  const { name, type, dims } = port;
  if (tensor.type !== type)
    throw new Error(`session ${session}: input "${name}" must be ${type}, but got ${tensor.type}`);
  const check = (right: boolean, why = ""): void => {
    if (!right)
      throw new Error(
        `session ${session}: input "${name}" must be [${dims.join(",")}], but got [${tensor.dims.join(",")}]${why}`,
      );
  };
  check(tensor.dims.length === dims.length);
  for (const [axis, size] of tensor.dims.entries()) {
    const dim = dims[axis]!;
    const seen = symbols.get(dim as string);
    if (typeof dim === "number") check(size === dim);
    else if (seen) check(size === seen.size, `: ${dim} is ${seen.size} in "${seen.name}"`);
    else if (dim !== "") symbols.set(dim, { size, name });
  }
}

const list = (names: readonly string[]): string =>
  names.length === 0 ? "none" : names.map((name) => `"${name}"`).join(", ");
