import fc from "fast-check";

/**
 * One seed for every property of every run: the same commit passes or fails alike wherever it is tested. `FC_SEED=random`,
 * or a number, looks elsewhere, and `FC_RUNS` looks at more cases each.
 */
const { FC_SEED, FC_RUNS } = process.env;
fc.configureGlobal({
  ...(FC_SEED !== "random" && { seed: Number(FC_SEED ?? 7) }),
  ...(FC_RUNS !== undefined && { numRuns: Number(FC_RUNS) }),
});
