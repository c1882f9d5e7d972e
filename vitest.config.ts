import { defineConfig } from "vitest/config";

/** Files that change or measure their process, or are slow in one that other files have filled: each gets a new process. */
const ALONE = [
  "src/notebook/notebook.attacks.test.ts",
  "src/store/addedParameter.test.ts",
  "src/weights/loadMemory.test.ts",
];

/** Folders whose tests open no model. */
const LIGHT = [
  "extract",
  "figures",
  "graph",
  "hub",
  "ingest",
  "lib",
  "notebook",
  "plan",
  "records",
  "router",
  "rpc",
  "state",
  "ui",
  "weights",
].map((folder) => `src/${folder}/**/*.test.{ts,tsx}`);

export default defineConfig({
  test: {
    projects: [
      { extends: true, test: { name: "light", include: LIGHT, exclude: ALONE } },
      {
        extends: true,
        test: {
          name: "whole",
          include: ["src/**/*.test.{ts,tsx}", "tools/**/*.test.ts"],
          exclude: [...LIGHT, ...ALONE],
        },
      },
      { extends: true, test: { name: "alone", include: ALONE, isolate: true } },
    ],
    // A process for many files: to start one takes longer than most of them.
    isolate: false,
    setupFiles: ["tools/fixedSeed.ts", "tools/equalArrays.ts"],
    // Two cores: files that run sessions would only fight each other for them.
    maxWorkers: 2,
    // What takes seconds may take minutes on a machine that does other things beside.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 30_000 } },
    // Time-independent text and numbers, whatever machine runs them.
    env: { TZ: "UTC" },
  },
});
