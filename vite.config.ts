// One config, two builds: the app (mode production) and the pages of the browser tests (mode e2e).
import { fileURLToPath } from "node:url";
import { defineConfig, type Plugin } from "vite";

/** wasm threads need shared memory, which browsers give to cross-origin isolated pages only. */
const isolation = {
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Embedder-Policy": "require-corp",
};

/** micromark's entity decoder has a build that asks a DOM; workers have none and get the one with a table. */
const entitiesWithoutDom: Plugin = {
  name: "entities-without-dom",
  enforce: "pre",
  resolveId: (id) =>
    id === "decode-named-character-reference" ? fileURLToPath(import.meta.resolve(id)) : undefined,
};

export default defineConfig(({ mode }) => ({
  worker: { format: "es", plugins: () => [entitiesWithoutDom] },
  server: { headers: isolation },
  preview: { headers: isolation },
  // onnxruntime starts its threads from its own file and finds its wasm beside it; pre-bundling would move it.
  optimizeDeps: { exclude: ["onnxruntime-web"] },
  build: {
    target: "esnext",
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 2000,
    ...(mode === "e2e"
      ? {
          outDir: process.env["PALIMPSEST_E2E_OUT"] ?? "out/e2e",
          emptyOutDir: true,
          minify: false,
          rolldownOptions: { input: "e2e/page.html" },
        }
      : {}),
  },
}));
