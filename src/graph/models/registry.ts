/** @file The known decoder families, by architectures[0]. */

import { present } from "../../lib/assert.ts";
import type { Family } from "./family.ts";
import { llama } from "./llama.ts";
import { phi3 } from "./phi3.ts";
import { qwen3 } from "./qwen3.ts";

const FAMILIES: ReadonlyMap<string, Family> = new Map(
  [qwen3, llama, phi3].map((family) => [family.architecture, family]),
);

/** The family of an architecture. Throws an Error that lists the known ones. */
export function familyOf(architecture: string): Family {
  return present(
    FAMILIES.get(architecture),
    () =>
      `config.json: architecture "${architecture}" is not supported; known: ${[...FAMILIES.keys()].join(", ")}`,
  );
}
