import { expect, test } from "vitest";
import { holdWriterLock, type ChannelPort, type LockPort, type WriterState } from "./locks.ts";

/** Web Locks and channels of the tabs of a made browser, by their specifications. */
function makeBrowser(): () => { locks: LockPort; channel: ChannelPort; close: () => void } {
  let holder: { tab: object; lose: () => void } | undefined;
  let line: { tab: object; run: () => void }[] = [];
  const listeners = new Set<(event: { data: unknown }) => void>();
  const next = (): void => line.shift()?.run();
  return () => {
    const tab = {};
    const own = new Set<(event: { data: unknown }) => void>();
    const locks: LockPort = {
      request: (_, { ifAvailable, steal }, held) =>
        new Promise((resolve, reject) => {
          const run = (): void => {
            holder = { tab, lose: () => reject(new DOMException("stolen", "AbortError")) };
            held({}).then(resolve, reject);
          };
          if (steal) {
            holder?.lose();
            run();
          } else if (!holder) run();
          else if (ifAvailable) held(null).then(resolve, reject);
          else line.push({ tab, run });
        }),
    };
    const channel: ChannelPort = {
      postMessage: (data) => {
        for (const listener of listeners) if (!own.has(listener)) queueMicrotask(() => listener({ data }));
      },
      addEventListener: (_, listener) => void (own.add(listener), listeners.add(listener)),
    };
    const close = (): void => {
      own.forEach((listener) => listeners.delete(listener));
      line = line.filter((waiting) => waiting.tab !== tab);
      if (holder?.tab !== tab) return;
      holder = undefined;
      next();
    };
    return { locks, channel, close };
  };
}

const settle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

async function openTab(
  browser: ReturnType<typeof makeBrowser>,
  title: string,
  running?: () => string | null,
) {
  const seen: (WriterState | "lost" | { saved: string })[] = [];
  const { locks, channel, close } = browser();
  const lock = await holdWriterLock("memory", {
    who: () => title,
    ...(running && { running }),
    onChange: (now) => seen.push(now),
    onSaved: (saved) => seen.push({ saved }),
    onLost: () => seen.push("lost"),
    ...{ locks, channel },
  });
  await settle();
  return { lock, seen, close };
}

test("the first tab writes; the second reads, and knows what the first one shows", async () => {
  const browser = makeBrowser();
  const first = await openTab(browser, "Ledgers");
  expect([first.lock.now().state, first.lock.now().who]).toEqual(["writer", "Ledgers"]);
  const second = await openTab(browser, "Atlas");
  expect([second.lock.now().state, second.lock.now().who]).toEqual(["reader", "Ledgers"]);
  expect(second.seen).toEqual([{ state: "reader", who: "Ledgers", running: null }]);
});

test("a reader knows which cell the writer runs, also if it opens during the run, and when the run ended", async () => {
  const browser = makeBrowser();
  let running: string | null = null;
  const first = await openTab(browser, "Ledgers", () => running);
  const second = await openTab(browser, "Atlas");
  running = "Memorise";
  first.lock.tell();
  await settle();
  const third = await openTab(browser, "Cantos");
  expect([second.lock.now().running, third.lock.now().running]).toEqual(["Memorise", "Memorise"]);
  running = null;
  first.lock.tell();
  await settle();
  expect([second.lock.now().running, third.lock.now().running]).toEqual([null, null]);
});

test("readers hear of what the writer saved; the writer does not, and a reader cannot say it", async () => {
  const browser = makeBrowser();
  const [first, second, third] = [
    await openTab(browser, "Ledgers"),
    await openTab(browser, "Atlas"),
    await openTab(browser, "Cantos"),
  ];
  first.lock.saved("n1");
  second.lock.saved("n2");
  await settle();
  const heard = ({ seen }: typeof first) =>
    seen.filter((what) => typeof what === "object" && "saved" in what);
  expect([first, second, third].map(heard)).toEqual([[], [{ saved: "n1" }], [{ saved: "n1" }]]);
});

test("when the writing tab closes, the next in line writes, and the others hear of it", async () => {
  const browser = makeBrowser();
  const first = await openTab(browser, "Ledgers");
  const second = await openTab(browser, "Atlas");
  const third = await openTab(browser, "Cantos");
  first.close();
  await settle();
  expect([second.lock.now().state, third.lock.now().state, third.lock.now().who]).toEqual([
    "writer",
    "reader",
    "Atlas",
  ]);
});

test("a tab takes over: the other one is told to stop, reads, and comes back when that one closes", async () => {
  const browser = makeBrowser();
  const first = await openTab(browser, "Ledgers");
  const second = await openTab(browser, "Atlas");
  await second.lock.takeOver();
  await settle();
  expect([second.lock.now().state, first.lock.now().state, first.lock.now().who]).toEqual([
    "writer",
    "reader",
    "Atlas",
  ]);
  expect(first.seen).toContain("lost");
  await second.lock.takeOver();
  second.close();
  await settle();
  expect(first.lock.now().state).toBe("writer");
});

test("a tab that closes leaves the line and hears nothing more", async () => {
  const browser = makeBrowser();
  const first = await openTab(browser, "Ledgers");
  const second = await openTab(browser, "Atlas");
  second.close();
  first.close();
  await settle();
  expect(second.seen).toEqual([{ state: "reader", who: "Ledgers", running: null }]);
  const third = await openTab(browser, "Cantos");
  expect(third.lock.now().state).toBe("writer");
});
