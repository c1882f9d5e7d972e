/** @file The page's Content-Security-Policy: in the built page itself, so that it holds on any host, and as a header. */

import type { Plugin } from "vite";

/** Styles in attributes and elements are allowed: the dialogs and the toasts set them while they move. */
const DIRECTIVES = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "worker-src 'self' blob:",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  // The Hub, for models that are asked for by name; nothing else leaves the origin.
  "connect-src 'self' blob: https://huggingface.co https://*.huggingface.co https://*.hf.co",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
];

export const POLICY = [...DIRECTIVES, "frame-ancestors 'none'"].join("; ");

/** Writes the policy into index.html when it is built; the dev server's page needs inline scripts and goes without. */
export function contentSecurityPolicy(): Plugin {
  return {
    name: "palimpsest:content-security-policy",
    apply: "build",
    transformIndexHtml: (_, { filename }) =>
      filename.endsWith("index.html")
        ? [
            {
              tag: "meta",
              attrs: { "http-equiv": "Content-Security-Policy", content: DIRECTIVES.join("; ") },
              injectTo: "head-prepend",
            },
          ]
        : [],
  };
}
