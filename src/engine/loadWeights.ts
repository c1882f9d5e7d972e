/** @file From a model folder to weights on the device: which there must be, and in what form (fillWeights.ts fills them). */

import { parseConfig } from "../graph/models/config.ts";
import type { Decoder } from "../graph/models/decoder.ts";
import { familyOf } from "../graph/models/families.ts";
import { forward } from "../graph/programs/forward.ts";
import { present } from "../lib/assert.ts";
import { defaultPrecision, levelBits, weightBytes, type Precision } from "../lib/precision.ts";
import type { Device } from "../runtime/device.ts";
import { readJson, readWhole, type ModelFiles } from "../weights/modelFiles.ts";
import {
  fromFiles,
  type FilledWeights,
  type FillRequest,
  type WeightsProgress,
  type WeightForm,
} from "./weightsFromFiles.ts";

export interface LoadOptions {
  readonly precision?: Precision | undefined;
  /** Largest float32 size in bytes at which the processor holds matrices as float32, in every precision. */
  readonly expandUpTo?: number;
  readonly onProgress?: (progress: WeightsProgress) => void;
  readonly signal?: AbortSignal | undefined;
}

export interface LoadedWeights extends FilledWeights {
  /** `decoder.precision` is the form in which graphs get the matrices; f32 if they were expanded. */
  readonly decoder: Decoder;
  readonly precision: Precision;
}

/**
 * Loads config and weights of `files` onto `device`, through the rounded copy if it is kept. Frees everything on errors.
 * @throws on an unknown architecture, a wrong or missing tensor, values that are not finite, or f16 on a device without it
 */
export async function loadWeights(
  device: Device,
  files: ModelFiles,
  options: LoadOptions = {},
): Promise<LoadedWeights> {
  const missing = (): string =>
    `engine: ${files.name} has no config.json; a Hugging Face model folder is expected`;
  const configJson = present(await readJson(files, "config.json"), missing);
  const configBytes = present(await readWhole(files, "config.json"), missing);
  const { plain, shapes } = described(configJson);
  const form = formOn(device, configJson, options);
  const filled = await fillWeights({ device, files, configBytes, shapes, form, options });
  const { precision } = form;
  const decoder: Decoder = form.expanded ? plain : { ...plain, precision };
  return { decoder, precision, ...filled };
}

async function fillWeights(request: FillRequest): Promise<FilledWeights> {
  const { beside } = request.files;
  if (!beside || levelBits(request.form.precision) === undefined) return fromFiles(request);
  // Loaded on demand: the bundled model has no copy.
  const { fillWithCopy } = await import("./copiedWeights.ts");
  return fillWithCopy(request, beside);
}

/** How `device` will hold the matrices of a model, from its config.json alone. @throws as {@link loadWeights} */
export function formOn(
  device: Pick<Device, "backend" | "capabilities" | "weightsAs">,
  configJson: unknown,
  options: Pick<LoadOptions, "precision" | "expandUpTo"> = {},
): WeightForm {
  const sizes = [...described(configJson).shapes.values()];
  const precision = options.precision ?? defaultPrecision(count(sizes));
  checkPrecision(device, precision);
  return { precision, expanded: isExpanded(device, sizes, options) };
}

export function described(configJson: unknown): { plain: Decoder; shapes: Map<string, number[]> } {
  const config = parseConfig(configJson);
  const plain = { config, family: familyOf(config.architecture) };
  const needed = forward(plain, { name: "weights", batch: 1, head: "next" }).weights;
  return { plain, shapes: new Map(needed.map(({ name, shape }) => [name, shape.map(Number)])) };
}

const count = (shapes: readonly (readonly number[])[]): number =>
  shapes.reduce((sum, shape) => sum + shape.reduce((product, size) => product * size, 1), 0);

function checkPrecision(
  { backend, capabilities }: Pick<Device, "backend" | "capabilities">,
  precision: Precision,
): void {
  if (precision === "f16" && !capabilities.f16)
    throw new Error(
      `engine: f16 is asked for, and ${backend} has no float16 here (${capabilities.description}); choose q8 or f32`,
    );
}

/** Whether matrices are held as float32: the processor would expand 8-bit ones at every run (docs/runtime.md, 5). */
function isExpanded(
  { weightsAs }: Pick<Device, "weightsAs">,
  shapes: readonly (readonly number[])[],
  { expandUpTo = EXPAND_UP_TO }: LoadOptions,
): boolean {
  const bytes = shapes.reduce((sum, shape) => sum + weightBytes(shape, "f32"), 0);
  return weightsAs === "initializers" && bytes <= expandUpTo;
}

export const EXPAND_UP_TO = 256 * 2 ** 20;
