/** @file Where the bundler puts onnxruntime's wasm files; imported by browser workers only (Node knows no `?url`). */
import webgpu from "onnxruntime-web/ort-wasm-simd-threaded.asyncify.wasm?url";
import wasm from "onnxruntime-web/ort-wasm-simd-threaded.wasm?url";

export const WASM_PATHS = { webgpu: { wasm: webgpu }, wasm: { wasm } } as const;
