import { createServer } from "node:http";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { mkdir, mkdtemp, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { urlModelFiles } from "./modelFiles.ts";
import { nodeFileSource, nodeModelFiles } from "../../tools/node/nodeFile.ts";
import { blobSource } from "./source.ts";
import type { ByteSource } from "./source.ts";
import { openUrl } from "./urlSource.ts";

const DATA = Uint8Array.from({ length: 100_000 }, (_, i) => (i * 31) % 251);

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

async function temporary(): Promise<string> {
  const directory = await mkdtemp(path.join(tmpdir(), "palimpsest-"));
  cleanups.push(() => rm(directory, { recursive: true }));
  return directory;
}

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  cleanups.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/m.bin`;
}

/** A correct range server; `change` may tamper with the answer before it is sent. */
function ranges(
  change: (range: { start: number; end: number }, response: ServerResponse) => boolean = () => false,
): RequestListener {
  return (request: IncomingMessage, response: ServerResponse) => {
    const match = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? "");
    const range = { start: Number(match![1]), end: Number(match![2]) + 1 };
    if (change(range, response)) return;
    response.writeHead(206, { "Content-Range": `bytes ${range.start}-${range.end - 1}/${DATA.length}` });
    response.end(DATA.subarray(range.start, range.end));
  };
}

/** A server that sends everything, whatever was asked for. */
const noRanges: RequestListener = (_, response) => {
  response.writeHead(200, { "Content-Length": DATA.length });
  response.end(DATA);
};

const opened = async (url: string): Promise<ByteSource> => (await openUrl(url))!;

describe("every source reads the same bytes", () => {
  const makers: Record<string, () => Promise<ByteSource>> = {
    disk: async () => {
      const file = path.join(await temporary(), "m.bin");
      await writeFile(file, DATA);
      return nodeFileSource(file);
    },
    blob: () => Promise.resolve(blobSource(new Blob([DATA]), "m.bin")),
    url: async () => opened(await serve(ranges())),
    "url without ranges": async () => opened(await serve(noRanges)),
  };

  test.each(Object.keys(makers))("%s", async (kind) => {
    const source = await makers[kind]!();
    expect(source.size).toBe(DATA.length);
    expect(await source.read(0, 8)).toEqual(DATA.slice(0, 8));
    expect(await source.read(8, 8)).toEqual(new Uint8Array(0));
    const into = new Uint8Array(70_000);
    await source.readInto(1001, into);
    expect(into).toEqual(DATA.slice(1001, 71_001));
    expect(await source.read(99_990, 100_000)).toEqual(DATA.slice(99_990));
    for (const [start, end] of [
      [0, 100_001],
      [-1, 4],
      [5, 4],
      [0.5, 2],
    ] as const)
      await expect(source.read(start, end)).rejects.toThrow(/bytes \[.*\) asked for, but it has 100000/);
    await source.close();
  });
});

describe("disk", () => {
  test("a file cut off while it is read is an error", async () => {
    const file = path.join(await temporary(), "m.bin");
    await writeFile(file, DATA);
    const source = await nodeFileSource(file);
    await truncate(file, 500);
    await expect(source.read(400, 600)).rejects.toThrow(
      /asked for 200 bytes at 400, got 100\. The file changed/,
    );
    await source.close();
  });

  test("a folder lists its files and opens only those", async () => {
    const directory = await temporary();
    await writeFile(path.join(directory, "config.json"), "{}");
    const files = await nodeModelFiles(directory);
    expect(files.names).toEqual(["config.json"]);
    expect(await files.open("../config.json")).toBeUndefined();
    const source = await files.open("config.json");
    expect(await source!.read(0, 2)).toEqual(Uint8Array.of(0x7b, 0x7d));
    await source!.close();
  });

  test("a folder has the weights that lie in its folder onnx, and nothing else that lies deeper", async () => {
    const directory = await temporary();
    for (const inside of ["onnx", "other"]) {
      await mkdir(path.join(directory, inside));
      await writeFile(path.join(directory, inside, "model.onnx"), "weights");
    }
    const files = await nodeModelFiles(directory);
    expect(files.names).toEqual(["onnx/model.onnx"]);
    const source = await files.open("onnx/model.onnx");
    expect(source!.size).toBe(7);
    await source!.close();
    expect(await files.open("other/model.onnx")).toBeUndefined();
  });
});

describe("URL with ranges", () => {
  test("a missing file is undefined, also where a server answers with its start page", async () => {
    expect(await openUrl(await serve((_, response) => response.writeHead(404).end()))).toBeUndefined();
    const page: RequestListener = (_, response) =>
      void response.writeHead(200, { "Content-Type": "text/html; charset=utf-8" }).end("<!doctype html>");
    expect(await openUrl(await serve(page))).toBeUndefined();
  });

  test("a folder appends the file's name", async () => {
    const asked: string[] = [];
    const url = await serve((request, response) => {
      asked.push(request.url ?? "");
      response.writeHead(404).end();
    });
    await urlModelFiles(new URL("/a/b", url).href).open("config.json");
    expect(asked).toEqual(["/a/b/config.json"]);
  });

  test("an empty file has size 0", async () => {
    const source = await opened(
      await serve((_, response) => response.writeHead(416, { "Content-Range": "bytes */0" }).end()),
    );
    expect(source.size).toBe(0);
  });

  test("small reads that follow each other take one request", async () => {
    const asked: number[] = [];
    const source = await opened(await serve(ranges(({ start }) => asked.push(start) < 0)));
    for (let at = 0; at < DATA.length; at += 1000)
      expect(await source.read(at, at + 1000)).toEqual(Uint8Array.from(DATA.subarray(at, at + 1000)));
    expect(await source.read(500, 1500)).toEqual(Uint8Array.from(DATA.subarray(500, 1500)));
    expect(asked).toEqual([0, 0]);
  });

  test("other answers name URL and status", async () => {
    const url = await serve((_, response) => response.writeHead(403).end());
    await expect(openUrl(url)).rejects.toThrow(`weights: ${url}: the server answered 403 Forbidden`);
  });

  test("an answer without the size of the file is refused", async () => {
    const url = await serve((_, response) => response.writeHead(206).end(DATA.subarray(0, 8)));
    await expect(openUrl(url)).rejects.toThrow("206 Partial Content without the size of the file");
  });

  test.each<[string, RequestListener, RegExp]>([
    [
      "another range than asked for",
      ranges(({ start }, response) => {
        if (start === 0) return false;
        response.writeHead(206, { "Content-Range": `bytes 0-9/${DATA.length}` }).end(DATA.subarray(0, 10));
        return true;
      }),
      /asked for bytes \[99990, 100000\) of 100000, got \[0, 10\)/,
    ],
    [
      "another size than before",
      ranges(({ start }, response) => {
        if (start === 0) return false;
        response.writeHead(206, { "Content-Range": "bytes 99990-99999/77" }).end(DATA.subarray(99_990));
        return true;
      }),
      /got \[99990, 100000\) of 77\. The file changed/,
    ],
    [
      "another file whole at the second request",
      ranges(({ start }, response) => {
        if (start > 0) response.writeHead(200).end(DATA.subarray(1));
        return start > 0;
      }),
      /sent 99999 bytes, 100000 expected\. The file changed/,
    ],
    [
      "a page at the second request",
      ranges(({ start }, response) => {
        if (start > 0) response.writeHead(200, { "Content-Type": "text/html" }).end("<p>Log in");
        return start > 0;
      }),
      /answered 200 OK, 206 expected/,
    ],
    [
      "fewer bytes than announced",
      ranges(({ start }, response) => {
        if (start > 0)
          response
            .writeHead(206, { "Content-Range": `bytes 99990-99999/${DATA.length}` })
            .end(DATA.subarray(99_990, 99_994));
        return start > 0;
      }),
      /asked for 10 bytes at 99990, got 4/,
    ],
    [
      "more bytes than announced",
      ranges(({ start }, response) => {
        if (start > 0)
          response
            .writeHead(206, { "Content-Range": `bytes 99990-99999/${DATA.length}` })
            .end(DATA.subarray(99_000, 99_049));
        return start > 0;
      }),
      /more than the 10 bytes asked for/,
    ],
  ])("a server that sends %s is refused", async (_, listener, message) => {
    const source = await opened(await serve(listener));
    await expect(source.read(99_990, 100_000)).rejects.toThrow(message);
  });

  test("a service worker that takes over in the middle sends the whole file, which serves all later reads", async () => {
    let requests = 0;
    const source = await opened(
      await serve(
        ranges(({ start }, response) => {
          requests++;
          if (start > 0) response.writeHead(200).end(DATA);
          return start > 0;
        }),
      ),
    );
    expect(await source.read(50, 60)).toEqual(DATA.slice(50, 60));
    expect(await source.read(10, 20)).toEqual(DATA.slice(10, 20));
    expect(requests).toBe(2);
  });

  test("failures that pass are retried, others end with the reason", async () => {
    let requests = 0;
    const flaky = ranges((_, response) => {
      requests++;
      if (requests === 2) response.writeHead(503).end();
      else if (requests === 3) response.destroy();
      return requests === 2 || requests === 3;
    });
    const source = await opened(await serve(flaky));
    expect(await source.read(5, 9)).toEqual(DATA.slice(5, 9));
    expect(requests).toBe(4);
    const dead = await serve((_, response) => response.writeHead(500).end());
    await expect(openUrl(dead)).rejects.toThrow(/500 Internal Server Error; try again later/);
    await expect(openUrl("http://127.0.0.1:1/x")).rejects.toThrow(/no answer .*CORS/);
  });

  test("cancelling ends a request that hangs", async () => {
    const controller = new AbortController();
    const source = await opened(await serve(ranges(({ start }) => start > 0)));
    const read = source.read(50, 60, controller.signal);
    setTimeout(() => controller.abort(), 20);
    await expect(read).rejects.toMatchObject({ name: "Cancelled" });
  });
});

describe("URL without ranges", () => {
  /** More than is kept: only its beginning ever arrives. */
  const large: RequestListener = (_, response) =>
    void response.writeHead(200, { "Content-Length": 2 ** 31 }).write(DATA);

  test("a large file is refused, with what to do", async () => {
    const url = await serve(large);
    await expect(openUrl(url)).rejects.toThrow(/ignores Range requests, .*open it from disk/);
  });

  test("a body that ends early is an error", async () => {
    const url = await serve((_, response) => {
      response.writeHead(200, { "Content-Length": DATA.length });
      response.write(DATA.subarray(0, 1000), () => response.destroy());
    });
    await expect(openUrl(url)).rejects.toThrow();
  });

  test("a compressed length in the header (a service worker's answer) does not cut the file", async () => {
    const answer =
      (length: number): typeof fetch =>
      () =>
        Promise.resolve(new Response(DATA, { headers: { "Content-Length": String(length) } }));
    vi.stubGlobal("fetch", answer(DATA.length / 4));
    cleanups.push(() => Promise.resolve(void vi.unstubAllGlobals()));
    const source = await opened("http://127.0.0.1/model.json");
    expect(source.size).toBe(DATA.length);
    expect(await source.read(DATA.length - 9, DATA.length)).toEqual(DATA.slice(-9));
    vi.stubGlobal("fetch", answer(DATA.length + 1));
    await expect(openUrl("http://127.0.0.1/x")).rejects.toThrow(/bytes/);
  });

  test("a small file of unknown size can be read anywhere", async () => {
    const source = await opened(
      await serve((_, response) => {
        response.write(DATA.subarray(0, 300));
        response.end(DATA.subarray(300, 400));
      }),
    );
    expect(source.size).toBe(400);
    expect(await source.read(350, 400)).toEqual(DATA.slice(350, 400));
    expect(await source.read(0, 4)).toEqual(DATA.slice(0, 4));
  });
});
