/** @file Adds a parameter to the table; must be imported before params.ts. */

import type { Parameter } from "../parameterKinds.ts";
import { QUESTION_PARAMETERS } from "../questionParameters.ts";

const PATIENCE: Parameter = {
  stages: ["read"],
  label: "Patience",
  symbol: "ψ",
  about: "Waits this often before it reads.",
  source: "Made up",
  kind: { type: "whole", min: 0, max: 9 },
  paper: 3,
  sharp: 4,
};

Object.assign(QUESTION_PARAMETERS, { patience: PATIENCE });
