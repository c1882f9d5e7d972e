/** @file Hands a file to the user. */

export function saveFile(name: string, content: BlobPart, type: string): void {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // The browser has taken the blob by the next turn; a minute is for slow ones.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
