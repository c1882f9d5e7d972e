/** @file The service worker: registered when the page is there, so that it does not compete with the first load. */

/** Registers it and keeps what this machine needs beyond the common part. Does nothing without them. */
export function registerServiceWorker(): void {
  // Insecure contexts have none.
  const { serviceWorker } = navigator as { serviceWorker?: ServiceWorkerContainer };
  if (!import.meta.env.PROD || import.meta.env.MODE === "e2e" || !serviceWorker) return;
  addEventListener("load", () => {
    void serviceWorker.register(`${import.meta.env.BASE_URL}sw.js`).catch(() => undefined);
  });
}
