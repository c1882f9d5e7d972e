/** @file The page's Content-Security-Policy: in the built page itself, so that it holds on any host, and as a header. */

import type { Plugin } from "vite";

/** Where a build asks for models without a token (src/hub/listing.ts); one that is not an origin would end a directive. */
const MIRROR = /^https:\/\/[\w.:-]+$/.exec(process.env["VITE_HUB_MIRROR"] ?? "")?.[0] ?? "";

/** Styles in attributes and elements are allowed: the dialogs and the toasts set them while they move. */
const DIRECTIVES = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "worker-src 'self' blob:",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  // The Hub and its mirror, for models that are asked for by name; nothing else leaves the origin.
  ["connect-src 'self' blob: https://huggingface.co https://*.huggingface.co https://*.hf.co", MIRROR]
    .join(" ")
    .trim(),
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
];

/** As a header it can say as well that no page may frame this one. */
const HEADER = [...DIRECTIVES, "frame-ancestors 'none'"].join("; ");

/**
 * Writes the policy into index.html when it is built (the dev server's page needs inline scripts and goes without), and
 * sends it with everything the preview serves: a worker obeys the policy it came with. The browser tests' own page,
 * which breaks rules on purpose, goes without.
 */
export function contentSecurityPolicy(): Plugin {
  return {
    name: "palimpsest:content-security-policy",
    transformIndexHtml: (_, { filename, server }) =>
      !server && filename.endsWith("index.html")
        ? [
            {
              tag: "meta",
              attrs: { "http-equiv": "Content-Security-Policy", content: DIRECTIVES.join("; ") },
              injectTo: "head-prepend",
            },
          ]
        : [],
    configurePreviewServer: ({ middlewares }) => {
      middlewares.use((request, response, next) => {
        if (!request.url?.startsWith("/e2e/")) response.setHeader("Content-Security-Policy", HEADER);
        next();
      });
    },
  };
}
