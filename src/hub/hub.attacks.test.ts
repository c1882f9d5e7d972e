/** @file A repository of the Hub that lies: its names, its lists, its sizes, its content. */

import { randomBytes } from "node:crypto";
import { expect } from "vitest";
import { attacks, refused } from "../lib/testing/attacks.ts";
import { createHub } from "./hub.ts";
import { hubServer } from "./testing/hubServer.ts";
import { memoryCache } from "./testing/memoryCache.ts";

const REPO = "someone/tiny";
const MODEL = { repo: REPO, revision: "main" };
const text = (value: string): Uint8Array => new TextEncoder().encode(value);
const CONTENT: readonly (readonly [string, Uint8Array])[] = [
  ["config.json", text('{"architectures":["Qwen3ForCausalLM"]}')],
  ["tokenizer.json", text('{"model":{}}')],
  ["model.safetensors", randomBytes(30_000)],
];

/** A Hub whose answers are what `answer` makes of them; every address that is asked for is kept. */
function played(answer: (url: URL) => Response) {
  const asked: URL[] = [];
  const hub = createHub({
    cache: memoryCache(),
    retryMs: 1,
    fetch: async (input) => {
      const url = new URL(String(input instanceof Request ? input.url : input));
      asked.push(url);
      return answer(url);
    },
  });
  return { hub, asked };
}

const json = (body: unknown, headers: Record<string, string> = {}): Response =>
  new Response(typeof body === "string" ? body : JSON.stringify(body), {
    headers: { "Content-Type": "application/json", ...headers },
  });
const listed = (...paths: string[]) => paths.map((path) => ({ type: "file", path, size: 1, oid: "a" }));
const NEEDED = listed("config.json", "tokenizer.json", "model.safetensors");

/** The repository over HTTP, with something changed between its list and its content. */
async function downloaded(change: (files: Map<string, Uint8Array>) => void, message: RegExp): Promise<void> {
  const server = await hubServer(REPO, new Map(CONTENT));
  const cache = memoryCache();
  const hub = createHub({
    cache,
    retryMs: 1,
    fetch: async (...request) => {
      const response = await server.fetch(...request);
      if (String(request[0]).includes("/api/")) change(server.files);
      return response;
    },
  });
  try {
    await refused(hub.download(MODEL), message);
    expect((await hub.cached()).filter(({ complete }) => complete)).toEqual([]);
  } finally {
    await server.close();
  }
}

attacks("the Hub", {
  "a repository whose name leads elsewhere": async () => {
    for (const repo of [
      "../../evil",
      "evil.example",
      "https://evil.example/a",
      "a/b/c",
      "a/b?c",
      "a/b#c",
      "..",
      "a\\b",
    ]) {
      const { hub, asked } = played(() => json([]));
      await refused(hub.files({ repo, revision: "main" }), /is not a repository name/);
      expect(asked, repo).toEqual([]);
    }
  },
  "a repository of dots": {
    fault: "../.. and ./. were taken for names, and asked the Hub for other pages",
    attack: async () => {
      for (const repo of ["../..", "./.", "../x", "x/.."]) {
        const { hub, asked } = played(() => json([]));
        await refused(hub.files({ repo, revision: "main" }), /is not a repository name/);
        await refused(hub.config({ repo, revision: "main" }), /is not a repository name/);
        expect(asked, repo).toEqual([]);
      }
    },
  },
  "a revision that leads elsewhere": async () => {
    const { hub, asked } = played(() => json(NEEDED));
    await hub.files({ repo: REPO, revision: "../../../evil?x=" }).catch(() => undefined);
    for (const url of asked) {
      expect(url.origin).toBe("https://huggingface.co");
      expect(url.pathname).toMatch(/^\/api\/models\/someone\/tiny\/tree\//);
    }
  },
  "a list without an end": {
    fault: "page after page was asked for, for ever",
    attack: async () => {
      let page = 0;
      const { hub, asked } = played((url) =>
        json(listed(`${page++}.txt`), { Link: `<${url.origin}${url.pathname}?cursor=${page}>; rel="next"` }),
      );
      await refused(hub.files(MODEL), /lists over \d+ files/);
      expect(asked.length).toBeLessThan(20_000);
    },
  },
  "a list that goes on at another server": {
    fault: "the next page was asked of whatever server the list named, the token with it",
    attack: async () => {
      const { hub, asked } = played(() =>
        json(listed("a.txt"), { Link: '<https://evil.example/next>; rel="next"' }),
      );
      await refused(hub.files({ ...MODEL, token: "secret" }), /hub: /);
      expect(asked.filter(({ origin }) => origin !== "https://huggingface.co")).toEqual([]);
    },
  },
  "a list that is no list": async () => {
    for (const body of ["<html>", "{}", '[{"type":"file","path":7}]', "[null]"]) {
      const { hub } = played(() => json(body));
      await refused(hub.files(MODEL), /hub: /);
    }
  },
  "a negative size": async () => {
    const { hub } = played(() => json([{ type: "file", path: "config.json", size: -1 }]));
    await refused(hub.files(MODEL), /hub: /);
  },
  "a config that is no JSON": {
    fault: "ended in a message of the browser",
    attack: async () => {
      const { hub } = played(() => json("<html>"));
      await refused(hub.config(MODEL), /config\.json is not valid JSON/);
    },
  },
  "a config of brackets": {
    fault: "was parsed whole, whatever it was",
    attack: async () => {
      const { hub } = played(() => json("[".repeat(100_000)));
      await refused(hub.config(MODEL), /config\.json is not valid JSON/);
    },
  },
  "weights other than were listed": () =>
    downloaded(
      (files) => files.set("model.safetensors", randomBytes(30_000)),
      /hub: someone\/tiny\/model\.safetensors/,
    ),
  "more bytes than were listed": () =>
    downloaded((files) => files.set("model.safetensors", randomBytes(60_000)), /hub: .*model\.safetensors/),
  "fewer bytes than were listed": {
    fault: "they were asked for again and again, for ever",
    attack: () =>
      downloaded((files) => files.set("model.safetensors", randomBytes(10)), /hub: .*model\.safetensors/),
  },
});
