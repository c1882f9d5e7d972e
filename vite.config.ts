// One config, two builds: the app (mode production), and the app with the pages of the browser tests (mode e2e).
import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";
import { VitePWA } from "vite-plugin-pwa";
import packageJson from "./package.json" with { type: "json" };
import { commit } from "./tools/commit.ts";
import { contentSecurityPolicy } from "./tools/contentSecurityPolicy.ts";
import { guardedPreview } from "./tools/guardedPreview.ts";

/** What stamps and runs carry: the version, and the commit where the build has one. */
const madeBy = [packageJson.version, commit()].filter((part) => part !== null).join("+");

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
  define: { __APP_VERSION__: JSON.stringify(madeBy) },
  plugins: [react(), guardedPreview(), contentSecurityPolicy(), pwa(mode)],
  worker: { format: "es", plugins: () => [entitiesWithoutDom] },
  server: { headers: isolation },
  // No page of another origin reads what is served here, and a file is what it is called.
  preview: { port: 4173, headers: { ...isolation, "X-Content-Type-Options": "nosniff" }, cors: false },
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
          rolldownOptions: { input: ["index.html", "e2e/page.html", "e2e/gallery.html"] },
        }
      : {
          // What every visit needs, in one file: that is smaller than twenty.
          rolldownOptions: {
            output: { codeSplitting: { groups: [{ name: "first", tags: ["$initial"] }] } },
          },
        }),
  },
}));

/**
 * Usable offline after the first visit: the page, the wasm build of the runtime and the bundled model are kept by the
 * service worker. What it serves carries the headers it came with, so the page stays cross-origin isolated.
 */
function pwa(mode: string) {
  return VitePWA({
    // A new one waits until every tab of the old is closed: it would take away files that a run still has to fetch.
    registerType: "prompt",
    // src/main.tsx registers it, after the page is there.
    injectRegister: false,
    manifest: {
      name: "Palimpsest",
      short_name: "Palimpsest",
      description: packageJson.description,
      display: "standalone",
      background_color: "#f8f4eb",
      theme_color: "#f8f4eb",
      icons: [
        { src: "icon-192.png", sizes: "192x192", type: "image/png" },
        { src: "icon-512.png", sizes: "512x512", type: "image/png" },
        { src: "icon-maskable-512.png", sizes: "512x512", type: "image/png", purpose: "maskable" },
        { src: "icon.svg", sizes: "any", type: "image/svg+xml" },
      ],
    },
    workbox: {
      // The first visit is kept as well.
      clientsClaim: true,
      globPatterns: ["**/*.{html,js,mjs,css,svg,png,woff2,txt,json,safetensors,wasm,webmanifest}"],
      // The WebGPU build of the runtime is fetched by machines that have WebGPU, and kept then.
      globIgnores: ["**/*asyncify*.wasm", "e2e/**"],
      maximumFileSizeToCacheInBytes: 40_000_000,
      navigateFallback: mode === "e2e" ? null : "index.html",
      ignoreURLParametersMatching: [/^notebook$/],
      runtimeCaching: [
        {
          urlPattern: ({ url, sameOrigin }) => sameOrigin && url.pathname.endsWith(".wasm"),
          handler: "CacheFirst",
          options: { cacheName: "runtime" },
        },
      ],
    },
  });
}
