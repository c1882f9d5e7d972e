/**
 * @file Playwright's `test` with the rules of this project: a console error, an uncaught exception or a request to
 * another origin fails the test that caused it. `worker(name)` opens a page with e2e/workers/<name>.worker.ts.
 */
import {
  expect,
  test as base,
  type BrowserContext,
  type ConsoleMessage,
  type Page,
  type Request,
  type WebError,
} from "@playwright/test";
import type { Checks } from "./serve.ts";

export type Backend = "wasm" | "webgpu";

/** Calls one check of a worker and gives back its result, or throws its error. */
export type CallCheck<C extends Checks> = <K extends keyof C & string>(
  check: K,
  ...argument: Parameters<C[K]>
) => Promise<Awaited<ReturnType<C[K]>>>;

interface Fixtures {
  /** Console errors that the test provokes on purpose match this. */
  allowedConsole: RegExp | undefined;
  /** Requests to other origins that the test answers itself match this. */
  allowedRequests: RegExp | undefined;
  guard: undefined;
  worker: <C extends Checks>(name: string) => Promise<CallCheck<C>>;
}

interface SharedFixtures {
  backend: Backend;
  workerPages: WorkerPages;
}

interface WorkerPages {
  readonly context: BrowserContext;
  readonly pages: Map<string, Page>;
}

export const test = base.extend<Fixtures, SharedFixtures>({
  backend: ["wasm", { option: true, scope: "worker" }],
  allowedConsole: [undefined, { option: true }],
  allowedRequests: [undefined, { option: true }],

  // One page for each worker file, kept for all tests of a project: starting onnxruntime takes over a second.
  // Playwright starts anew after a failed test.
  workerPages: [
    async ({ browser }, use) => {
      const context = await browser.newContext();
      await use({ context, pages: new Map() });
      await context.close();
    },
    { scope: "worker" },
  ],

  guard: [
    async ({ workerPages, context, baseURL, allowedConsole, allowedRequests }, use) => {
      const problems: string[] = [];
      const stop = [workerPages.context, context].map((watched) =>
        watch(watched, new URL(baseURL ?? "").origin, { allowedConsole, allowedRequests }, problems),
      );
      await use(undefined);
      for (const end of stop) end();
      expect(problems, "the page must stay quiet and on its own origin").toEqual([]);
    },
    { auto: true },
  ],

  worker: async ({ workerPages, baseURL }, use) => {
    await use(async <C extends Checks>(name: string): Promise<CallCheck<C>> => {
      const page = workerPages.pages.get(name) ?? (await openPage(workerPages.context, name, baseURL ?? ""));
      workerPages.pages.set(name, page);
      return async (check, ...[argument]) => {
        const answer = await page.evaluate(([c, a]) => window.callWorker(c, a), [check, argument] as const);
        if (!("error" in answer)) return answer.value as never;
        const { name: kind, message, stack } = answer.error;
        throw Object.assign(new Error(message), { name: kind, inWorker: stack });
      };
    });
  },
});

async function openPage(context: BrowserContext, worker: string, origin: string): Promise<Page> {
  const page = await context.newPage();
  await page.goto(`${origin}/e2e/page.html?worker=${worker}`);
  await page.waitForFunction(() => typeof window.callWorker === "function");
  return page;
}

/** Collects what breaks the rules until the returned function is called. */
export function watch(
  context: BrowserContext,
  origin: string,
  { allowedConsole, allowedRequests }: Partial<Pick<Fixtures, "allowedConsole" | "allowedRequests">> = {},
  problems: string[],
): () => void {
  const onRequest = (request: Request): void => {
    const url = new URL(request.url());
    const local = url.protocol === "data:" || url.protocol === "blob:" || url.origin === origin;
    if (!local && !allowedRequests?.test(request.url()))
      problems.push(`request to another origin: ${request.url()}`);
  };
  const onConsole = (message: ConsoleMessage): void => {
    if (message.type() !== "error" || allowedConsole?.test(message.text())) return;
    problems.push(`console error: ${message.text()} (${message.location().url})`);
  };
  const onError = (error: WebError): void => void problems.push(`uncaught: ${error.error().stack ?? ""}`);
  context.on("request", onRequest).on("console", onConsole).on("weberror", onError);
  return () => void context.off("request", onRequest).off("console", onConsole).off("weberror", onError);
}

export { expect };
