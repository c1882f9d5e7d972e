/** @file Files that came as text into a worker. */

/** Files in base64 as dropped ones. */
export function blobs(files: Readonly<Record<string, string>>): Map<string, Blob> {
  const bytes = (base64: string) => Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
  return new Map(Object.entries(files).map(([name, base64]) => [name, new Blob([bytes(base64)])]));
}
