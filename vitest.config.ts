import { defineConfig } from "vitest/config";

// Vitest 5 prints failures with Map.groupBy, which Node 20 lacks; without this it crashes where it should explain.
Map.groupBy ??= (items, keyOf) => {
  const groups = new Map();
  let i = 0;
  for (const item of items) {
    const key = keyOf(item, i++);
    groups.set(key, [...(groups.get(key) ?? []), item]);
  }
  return groups;
};

export default defineConfig({
  test: {
    include: ["src/**/*.test.{ts,tsx}", "tools/**/*.test.ts"],
    // Two cores: files that run sessions would only fight each other for them.
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // A machine that does other things beside takes seconds for what takes milliseconds.
    expect: { poll: { timeout: 30_000 } },
    // Time-independent text and numbers, whatever machine runs them.
    env: { TZ: "UTC" },
  },
});
