/** @file A turn for the event loop: work that never waits keeps a worker from its messages, a pause or a cancel among them. */

/** Resolves in a later task, after the messages that have come. */
export function turn(): Promise<void> {
  return new Promise((resolve) => {
    // Not setTimeout: browsers make it wait four milliseconds.
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}
