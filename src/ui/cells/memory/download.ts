/** @file Gives a file to the person. */

export function download(name: string, content: string | Uint8Array, type: string): void {
  const url = URL.createObjectURL(new Blob([content as BlobPart], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // The browser has taken the content by then; a URL that is never revoked keeps it in memory.
  setTimeout(() => {
    URL.revokeObjectURL(url);
  }, 10_000);
}
