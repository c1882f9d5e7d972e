/** @file Brings a cell into view and gives it the focus. */

export const cellAnchor = (id: string): string => `cell-${id}`;

/**
 * Scrolls to the cell and focuses its frame; waits for a cell that is being drawn just now. Without the focus it is shown
 * from its head on: a cell that runs has only begun to grow.
 */
export function goToCell(id: string, { focus = true }: { readonly focus?: boolean } = {}): void {
  requestAnimationFrame(() => {
    const element = document.getElementById(cellAnchor(id));
    if (!element) return;
    if (focus) element.focus({ preventScroll: true });
    element.scrollIntoView({ block: focus ? "nearest" : "start", behavior: "smooth" });
  });
}
