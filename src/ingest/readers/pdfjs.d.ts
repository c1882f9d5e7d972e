/** pdf.js ships no types for its worker's half; importing it sets `globalThis.pdfjsWorker`. */
declare module "pdfjs-dist/legacy/build/pdf.worker.mjs";
