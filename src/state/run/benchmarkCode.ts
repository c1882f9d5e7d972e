/** @file The code of benchmark cells' runs, which is fetched when one is run or shown. */

export const benchmarkCode = () => import("./benchmark.ts");
