// The import law (docs/design.md) as one table, checked by machine, with a message.
import { dirname, join, relative, resolve, sep } from "node:path";
import js from "@eslint/js";
import reactHooks from "eslint-plugin-react-hooks";
import ts from "typescript-eslint";

/** Folder -> folders it may import values from. Types may cross freely. */
const MAY_IMPORT = {
  records: ["lib"],
  lib: [],
  ingest: ["records", "lib"],
  extract: ["records", "lib"],
  plan: ["records", "lib"],
  graph: ["lib"],
  weights: ["lib"],
  runtime: ["lib", "graph"],
  memory: ["records", "lib", "plan"],
  engine: ["records", "lib", "graph", "weights", "runtime"],
  store: ["records", "lib"],
  router: ["records", "lib"],
  flow: ["records", "lib", "ingest", "extract", "plan", "memory", "router"],
  evaluate: ["records", "lib", "ingest", "extract", "plan", "memory", "router", "flow"],
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
    "evaluate",
    "figures",
  ],
  notebook: ["records", "lib"],
  figures: ["records", "lib", "evaluate"],
  state: ["records", "lib", "rpc", "notebook", "figures"],
  ui: ["records", "lib", "notebook", "evaluate", "figures", "state"],
};

/** Package -> the folder, or the folders, that may import it. */
const OWNED_BY = {
  "onnxruntime-web": "runtime",
  "onnxruntime-node": "runtime",
  "onnxruntime-common": "runtime",
  "@huggingface/transformers": "engine",
  "@huggingface/tokenizers": "engine",
  "@huggingface/jinja": "engine",
  minisearch: ["router", "lib"],
  "@noble/hashes": "lib",
  papaparse: "lib",
  stemmer: "lib",
  "@orama/stopwords": "lib",
  "@zip.js/zip.js": "lib",
  "umap-js": "figures",
  diff: "figures",
  "pdfjs-dist": "ingest",
  mammoth: "ingest",
  parse5: "ingest",
  chardet: "ingest",
  micromark: "ingest",
  "micromark-extension-gfm": "ingest",
  idb: "store",
  "fake-indexeddb": "store",
  "@huggingface/hub": "hub",
  zustand: "state",
  react: "ui",
  "react-dom": "ui",
  recharts: "ui",
  "radix-ui": "ui",
  "@tanstack/react-virtual": "ui",
  "@dnd-kit/core": "ui",
  "@dnd-kit/sortable": "ui",
  "@dnd-kit/utilities": "ui",
  marked: "ui",
  sonner: "ui",
};

const SRC = join(import.meta.dirname, "src");

/** The folder of src that a file lies in; undefined outside src. */
function folderOf(file) {
  const path = relative(SRC, file).split(sep);
  return path[0] !== ".." && path.length > 1 ? path[0] : undefined;
}

/** Why `file` may not import values from `source`; undefined where it may. Paths are resolved, so no name can confuse it. */
function breach(file, source) {
  const from = folderOf(file);
  if (from === undefined) return undefined;
  if (source.startsWith(".")) {
    const to = folderOf(resolve(dirname(file), source));
    if (to === undefined || to === from || MAY_IMPORT[from].includes(to)) return undefined;
    return `src/${from} may import values only from: ${MAY_IMPORT[from].join(", ") || "itself"}.`;
  }
  const owners = Object.entries(OWNED_BY).find(
    ([name]) => source === name || source.startsWith(`${name}/`),
  )?.[1];
  if (owners === undefined || [owners].flat().includes(from)) return undefined;
  return `This package belongs to src/${[owners].flat().join(" and src/")}; see OWNED_BY in eslint.config.js.`;
}

/** Types may cross freely: they are gone when the code runs. */
const onlyTypes = ({ importKind, exportKind, specifiers = [] }) =>
  importKind === "type" ||
  exportKind === "type" ||
  (specifiers.length > 0 && specifiers.every((s) => s.importKind === "type" || s.exportKind === "type"));

const law = {
  create(context) {
    const check = (node) => {
      if (typeof node.source?.value !== "string" || onlyTypes(node)) return;
      const message = breach(context.filename, node.source.value);
      if (message) context.report({ node, message });
    };
    return {
      ImportDeclaration: check,
      ExportNamedDeclaration: check,
      ExportAllDeclaration: check,
      ImportExpression: check,
    };
  },
};

export default ts.config(
  {
    ignores: ["dist/**", "out/**", "node_modules/**", "public/**", "test-results/**"],
  },
  js.configs.recommended,
  ...ts.configs.strict,
  {
    rules: {
      "@typescript-eslint/no-non-null-assertion": "off",
      "@typescript-eslint/unified-signatures": "off",
      // The argument of a service's method that takes none is `_: null`.
      "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_$" }],
      "max-lines": ["error", { max: 400, skipBlankLines: true, skipComments: true }],
      "no-restricted-syntax": [
        "error",
        { selector: "ExportAllDeclaration", message: "No barrels inside src: import from the file itself." },
        { selector: "ExportDefaultDeclaration", message: "Named exports only." },
      ],
    },
  },
  { files: ["*.config.{js,ts}"], rules: { "no-restricted-syntax": "off" } },
  {
    files: ["src/**/*.{ts,tsx}"],
    ignores: ["**/*.test.{ts,tsx}", "**/testing/**"],
    plugins: { palimpsest: { rules: { law } } },
    rules: { "palimpsest/law": "error" },
  },
  {
    files: ["{src,workers,tools,e2e}/**/*.{ts,tsx}"],
    languageOptions: { parserOptions: { project: "tsconfig.json" } },
    rules: {
      // A promise that nobody waits for hides its failure: await it, return it, or say void and why that is right.
      "@typescript-eslint/no-floating-promises": "error",
      "@typescript-eslint/await-thenable": "error",
      "@typescript-eslint/no-misused-promises": [
        "error",
        { checksVoidReturn: { attributes: false, properties: false } },
      ],
      "@typescript-eslint/switch-exhaustiveness-check": [
        "error",
        { considerDefaultExhaustiveForUnions: true },
      ],
    },
  },
  {
    files: ["{src/ui,e2e/gallery}/**/*.{ts,tsx}"],
    plugins: { "react-hooks": reactHooks },
    rules: { "react-hooks/rules-of-hooks": "error", "react-hooks/exhaustive-deps": "error" },
  },
);
