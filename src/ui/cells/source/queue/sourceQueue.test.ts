import { expect, test, vi } from "vitest";
import type { SourceEntry } from "../../../../records/notebook.ts";
import { documentId } from "../../../../records/ids.ts";
import { pastedFile, refusal } from "./accept.ts";
import { createQueue, type Incoming, type QueuePort } from "./sourceQueue.ts";

const entry = (title: string, id = title): SourceEntry => ({
  id: documentId(id),
  title,
  format: "txt",
  encoding: "utf-8",
  characters: 4,
  pages: null,
  notes: [],
  kept: true,
});

const file = (name: string, text = "text"): Incoming => ({
  name,
  size: text.length,
  load: () => Promise.resolve(new TextEncoder().encode(text)),
});

function setUp(ingest: QueuePort["ingest"]) {
  const documents: SourceEntry[] = [];
  const accept = (made: SourceEntry): string | null => {
    const twin = documents.find(({ id }) => id === made.id);
    if (!twin) documents.push(made);
    return twin?.title ?? null;
  };
  const queue = createQueue(() => ({ ingest, accept, refuse: refusal }));
  return { queue, documents };
}

test("files are read one after the other, and leave the queue when they are documents of the cell", async () => {
  let open = 0;
  let most = 0;
  const { queue, documents } = setUp(async ({ name }) => {
    most = Math.max(most, ++open);
    await Promise.resolve();
    open--;
    return entry(name);
  });
  queue.add([file("a.txt"), file("b.txt"), file("c.txt")]);
  expect(queue.items().map(({ state }) => state.kind)).toEqual(["reading", "waiting", "waiting"]);
  await vi.waitFor(() => expect(queue.items()).toEqual([]));
  expect(documents.map(({ title }) => title)).toEqual(["a.txt", "b.txt", "c.txt"]);
  expect(most).toBe(1);
});

test("a failure is said and does not stop the next file; retry reads it again", async () => {
  let broken = true;
  const { queue, documents } = setUp(({ name }) =>
    broken && name === "a.pdf" ? Promise.reject(new Error("no text layer")) : Promise.resolve(entry(name)),
  );
  queue.add([file("a.pdf"), file("b.txt")]);
  await vi.waitFor(() => expect(documents).toHaveLength(1));
  expect(queue.items().map(({ state }) => state)).toEqual([
    { kind: "failed", message: "no text layer", retry: true },
  ]);
  broken = false;
  queue.retry(queue.items()[0]!.key);
  await vi.waitFor(() => expect(documents.map(({ title }) => title)).toEqual(["b.txt", "a.pdf"]));
});

test("the same text twice is a duplicate that names the first", async () => {
  const { queue, documents } = setUp(({ name }) => Promise.resolve(entry(name, "same")));
  queue.add([file("first.txt"), file("second.txt")]);
  await vi.waitFor(() =>
    expect(queue.items().map(({ state }) => state)).toEqual([{ kind: "duplicate", of: "first.txt" }]),
  );
  expect(documents).toHaveLength(1);
});

test("a file removed while it is being read does not come back", async () => {
  let finish: (made: SourceEntry) => void = () => undefined;
  const { queue, documents } = setUp(() => new Promise((resolve) => (finish = resolve)));
  queue.add([file("a.txt")]);
  await vi.waitFor(() => expect(queue.items()[0]?.state.kind).toBe("reading"));
  await Promise.resolve();
  queue.remove(queue.items()[0]!.key);
  finish(entry("a.txt"));
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(queue.items()).toEqual([]);
  expect(documents).toEqual([]);
});

test("what cannot be a text is refused with a reason before it is read", () => {
  const ingest = vi.fn(() => Promise.resolve(entry("x")));
  const { queue } = setUp(ingest);
  queue.add([file("model.safetensors"), file("empty.txt", "")]);
  const messages = queue.items().map(({ state }) => (state.kind === "failed" ? state.message : ""));
  expect(messages[0]).toContain("model cell");
  expect(messages[1]).toContain("empty");
  expect(ingest).not.toHaveBeenCalled();
});

test("a paste is a text file named after its first words", () => {
  const { name, bytes } = pastedFile("  <b>The</b> office\nis north of the kitchen, and so on and on.");
  expect(name).toBe("Pasted: b The b office is north of the kitchen.txt");
  expect(new TextDecoder().decode(bytes)).toContain("\nis north");
});
