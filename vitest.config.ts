import { defineConfig } from "vitest/config";

/** Folders whose tests keep nothing between files, and share a worker each: starting one takes longer than most of them. */
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
      { extends: true, test: { name: "light", include: LIGHT, isolate: false } },
      {
        extends: true,
        test: { name: "whole", include: ["src/**/*.test.{ts,tsx}", "tools/**/*.test.ts"], exclude: LIGHT },
      },
    ],
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
