/** @file A parameter that no build knew: in the table before anything is made of it where this is imported first. */

import type { Parameter } from "../parameterKinds.ts";
import { PARAMETERS } from "../parameters.ts";

const PATIENCE: Parameter = {
  stages: ["read"],
  label: "Patience",
  symbol: "ψ",
  about: "Waits this often before it reads.",
  source: "Made up",
  kind: { type: "whole", min: 0, max: 9 },
  paper: 3,
  sharp: 4,
  before: 1,
};

Object.assign(PARAMETERS, { patience: PATIENCE });
