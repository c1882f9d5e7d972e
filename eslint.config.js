// The import law of DESIGN.md section 5 as one table, checked by machine, with a message.
import js from "@eslint/js";
import ts from "typescript-eslint";

/** Folder -> folders it may import values from. Types may cross freely. */
const MAY_IMPORT = {
  records: [],
  lib: [],
  ingest: ["records", "lib"],
  extract: ["records", "lib"],
  plan: ["records", "lib"],
  graph: ["lib"],
  weights: ["lib"],
  runtime: ["lib", "graph"],
  memory: ["records", "lib"],
  engine: ["records", "lib", "graph", "weights", "runtime"],
  store: ["records", "lib"],
  router: ["records", "lib"],
  flow: ["records", "lib", "ingest", "extract", "plan", "memory", "router"],
  bench: ["records", "lib", "ingest", "plan", "flow", "memory", "graph", "engine", "runtime"],
  hub: ["records", "lib", "weights"],
  rpc: ["records", "lib"],
  service: [
    "records",
    "lib",
    "rpc",
    "ingest",
    "plan",
    "weights",
    "hub",
    "runtime",
    "engine",
    "memory",
    "router",
    "flow",
    "store",
    "bench",
    "figures",
  ],
  notebook: ["records", "lib"],
  figures: ["records", "lib"],
  state: ["records", "lib", "rpc", "notebook", "figures"],
  ui: ["records", "lib", "notebook", "figures", "state"],
};

/** Package -> the one folder that may import it. */
const OWNED_BY = {
  "onnxruntime-web": "runtime",
  "onnxruntime-node": "runtime",
  "onnxruntime-common": "runtime",
  "@huggingface/transformers": "engine",
  "@huggingface/tokenizers": "engine",
  "@huggingface/jinja": "engine",
  "@bufbuild/protobuf": "graph",
  minisearch: "router",
  "@zip.js/zip.js": "lib",
  "umap-js": "figures",
  "pdfjs-dist": "ingest",
  mammoth: "ingest",
  parse5: "ingest",
  micromark: "ingest",
  "micromark-extension-gfm": "ingest",
  idb: "store",
  "fake-indexeddb": "store",
  "@huggingface/hub": "hub",
  zustand: "state",
  react: "ui",
  "react-dom": "ui",
  recharts: "ui",
  "@observablehq/plot": "ui",
  "radix-ui": "ui",
  "@tanstack/react-table": "ui",
  "@tanstack/react-virtual": "ui",
  "@dnd-kit/core": "ui",
  "@dnd-kit/sortable": "ui",
  "@dnd-kit/utilities": "ui",
  "react-markdown": "ui",
  "remark-gfm": "ui",
  sonner: "ui",
};

const folders = Object.keys(MAY_IMPORT);

const boundaries = folders.map((folder) => {
  const allowed = MAY_IMPORT[folder];
  const banned = folders.filter((f) => f !== folder && !allowed.includes(f));
  const foreign = Object.keys(OWNED_BY).filter((p) => OWNED_BY[p] !== folder);
  return {
    files: [`src/${folder}/**/*.{ts,tsx}`],
    ignores: ["**/*.test.{ts,tsx}", "**/testing/**"],
    rules: {
      "@typescript-eslint/no-restricted-imports": [
        "error",
        {
          patterns: [
            {
              regex: `^\\.\\./(.*/)?(${banned.join("|")})/`,
              message: `src/${folder} may import values only from: ${allowed.join(", ") || "itself"}.`,
              allowTypeImports: true,
            },
            {
              regex: `^(${foreign.join("|")})(/|$)`,
              message: "This package belongs to another folder; see OWNED_BY in eslint.config.js.",
            },
          ],
        },
      ],
    },
  };
});

export default ts.config(
  {
    ignores: [
      "dist/**",
      "out/**",
      "node_modules/**",
      "public/**",
      "src/graph/proto/onnx_pb.ts",
      "test-results/**",
    ],
  },
  js.configs.recommended,
  ...ts.configs.strict,
  {
    rules: {
      "@typescript-eslint/no-non-null-assertion": "off",
      "@typescript-eslint/unified-signatures": "off",
      "max-lines": ["error", { max: 400, skipBlankLines: true, skipComments: true }],
      "no-restricted-syntax": [
        "error",
        { selector: "ExportAllDeclaration", message: "No barrels inside src: import from the file itself." },
        { selector: "ExportDefaultDeclaration", message: "Named exports only." },
      ],
    },
  },
  { files: ["*.config.{js,ts}"], rules: { "no-restricted-syntax": "off" } },
  ...boundaries,
);
