/** @file The page of all browser tests: starts the worker named in its address and passes calls to it. */
import type { Answer } from "./support/serve.ts";

const workers = import.meta.glob<new () => Worker>("./workers/*.worker.ts", {
  query: "?worker",
  import: "default",
});

async function start(): Promise<void> {
  const name = new URLSearchParams(location.search).get("worker") ?? "";
  const load = workers[`./workers/${name}.worker.ts`];
  if (!load) throw new Error(`e2e: no worker "${name}"; there are ${Object.keys(workers).join(", ")}`);
  const worker = new (await load())();
  const open = new Map<number, (answer: Answer) => void>();
  worker.onmessage = ({ data }: MessageEvent<Answer>) => open.get(data.id)?.(data);
  worker.onerror = (event) => console.error(`e2e: worker ${name} failed: ${event.message}`);
  let last = 0;
  window.callWorker = (check, argument) =>
    new Promise((resolve) => {
      const id = ++last;
      open.set(id, (answer) => {
        open.delete(id);
        resolve(answer);
      });
      worker.postMessage({ id, check, argument });
    });
}

void start();

declare global {
  interface Window {
    callWorker(check: string, argument: unknown): Promise<Answer>;
  }
}
