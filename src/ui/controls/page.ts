/** @file Acts on the page around React: short messages, announcements, files to save, and going to a cell. */

import type { toast as Sonner } from "sonner";
import { withoutArea } from "../../lib/format.ts";
import { useSyncExternalStore, useEffect, useState } from "react";
import type { DocumentId } from "../../records/ids.ts";

export const UNDO_WINDOW = 8000;

type Show = typeof Sonner;
let stand: (show: Show) => void;
const standing = new Promise<Show>((resolve) => (stand = resolve));

export const toastsStand = (show: Show): void => stand(show);

let want: () => void;
/** Resolves with the first message or the first use of the page, so that a message needs no network later. */
export const toastsWanted = new Promise<void>((resolve) => (want = resolve));
for (const use of ["pointerdown", "keydown", "drop"])
  globalThis.addEventListener?.(use, () => want(), { once: true });

export function whenShown(work: (show: Show) => void): void {
  want();
  void standing.then(work);
}

export const toast = {
  said(message: string): void {
    whenShown((show) => show(message));
  },
  failed(message: string, way?: { readonly label: string; readonly onClick: () => void }): void {
    whenShown((show) => show.error(withoutArea(message), { duration: 12_000, ...(way && { action: way }) }));
  },
  /**
   * Resolves no promise: `undo` is called at most once, when its button is pressed.
   * @param expire is called if the message closes otherwise
   */
  undoable(message: string, undo: () => void, expire: () => void = () => undefined): void {
    whenShown((show) =>
      show(message, {
        duration: UNDO_WINDOW,
        action: { label: "Undo", onClick: undo },
        onAutoClose: expire,
        onDismiss: expire,
      }),
    );
  },
} as const;

/** The element that is read aloud when its text changes; {@link announce} writes into it. */
export const ANNOUNCER = "announcer";

export function announce(words: string): void {
  const element = document.getElementById(ANNOUNCER);
  if (element) element.textContent = words;
}

export async function attempt(work: () => unknown): Promise<void> {
  try {
    await work();
  } catch (error) {
    toast.failed((error as Error).message);
  }
}

export function linkTo(notebook: string, hash: string): string {
  const url = new URL(location.href);
  url.search = `?notebook=${encodeURIComponent(notebook)}`;
  url.hash = hash;
  return url.href;
}

export const cellAnchor = (id: string): string => `cell-${id}`;

const LINK = /^#cell-([^/]+)(?:\/([^/]+))?$/;

/** The cell, and if one is named the figure in it, of an address that {@link cellAnchor} begins. */
export function linked(): { readonly cell: string; readonly figure: string | null } | null {
  const [, cell, figure = null] = LINK.exec(decodeURI(location.hash)) ?? [];
  return cell === undefined ? null : { cell, figure };
}

/** The figure of `cellId` that the address names. */
export const useLinkedFigure = (cellId: string): string | null =>
  useSyncExternalStore(subscribe, () => {
    const link = linked();
    return link?.cell === cellId ? link.figure : null;
  });

/** @param what "cell" or "figure", for the message */
export async function copyLink(link: string, what: string): Promise<void> {
  await copyText(
    link,
    `The link to this ${what} is copied. It opens in this browser, where the notebook is.`,
  );
}

export async function copyText(text: string, done: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    toast.said(done);
  } catch {
    toast.failed(`The browser did not allow copying: ${text}`);
  }
}

/** Scrolls to a cell and focuses its frame. Without the focus its head is shown: a running cell has begun to grow. */
export function goToCell(id: string, { focus = true }: { readonly focus?: boolean } = {}): void {
  requestAnimationFrame(() => {
    const element = document.getElementById(cellAnchor(id));
    if (!element) return;
    if (focus) element.focus({ preventScroll: true });
    element.scrollIntoView({
      block: focus ? "nearest" : "start",
      behavior: isStill() ? "auto" : "smooth",
    });
  });
}

export function isEditable(target: EventTarget | null): boolean {
  const element = target as HTMLElement | null;
  return Boolean(element?.isContentEditable || element?.closest?.("input, textarea, select"));
}

export const isStill = (): boolean => matchMedia("(prefers-reduced-motion: reduce)").matches;

export function saveFile(name: string, content: BlobPart, type: string): void {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // The browser has taken the blob by the next turn; a minute is for slow ones.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

const PAPER = "#the-paper";

const TALK = "#presentation";

export const openPresentation = (): void => void (location.hash = TALK);

/** Without a step in the browser's history. */
export function leavePresentation(): void {
  if (location.hash !== TALK) return;
  history.replaceState(null, "", location.pathname + location.search);
  dispatchEvent(new HashChangeEvent("hashchange"));
}

export const usePresenting = (): boolean => useSyncExternalStore(subscribe, () => location.hash === TALK);

export const openPaper = (): void => void (location.hash = PAPER);

export const usePaperOpen = (): boolean => useSyncExternalStore(subscribe, () => location.hash === PAPER);

function subscribe(changed: () => void): () => void {
  addEventListener("hashchange", changed);
  return () => removeEventListener("hashchange", changed);
}

interface SentenceTarget {
  readonly documentId: DocumentId;
  readonly offset: number;
}

type Listener = (target: SentenceTarget) => boolean;
const listeners = new Set<Listener>();

/** Brings a sentence into view in the source cell that has its document; false when no cell on the page has it. */
export const openSentence = (documentId: DocumentId, offset: number): boolean =>
  [...listeners].some((listen) => listen({ documentId, offset }));

/** The latest requested sentence among `documents`; `onOpen` is called first, e.g. to select the document. */
export function useSentenceTarget(
  documents: readonly { readonly id: DocumentId }[],
  onOpen: (id: DocumentId) => void,
): SentenceTarget | null {
  const [target, setTarget] = useState<SentenceTarget | null>(null);
  useEffect(() => {
    const listen: Listener = (asked) => {
      if (!documents.some(({ id }) => id === asked.documentId)) return false;
      onOpen(asked.documentId);
      setTarget(asked);
      return true;
    };
    listeners.add(listen);
    return () => void listeners.delete(listen);
  }, [documents, onOpen]);
  return target;
}

export const fileName = (title: string, ending: string): string =>
  `${
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, "-")
      .replace(/^-+|-+$/g, "")
      .slice(0, 60) || "memory"
  }.${ending}`;
