import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "tools/**/*.test.ts"],
    // Two cores: files that run sessions would only fight each other for them.
    maxWorkers: 2,
    testTimeout: 60_000,
    // Time-independent text and numbers, whatever machine runs them.
    env: { TZ: "UTC" },
  },
});
