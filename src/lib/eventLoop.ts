/** @file Returns to the event loop, so that a busy worker hears a pause or a cancel. */

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
