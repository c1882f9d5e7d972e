/** @file Finds out which nodes of a graph onnxruntime would run on the CPU; used only to explain a refusal. */
import type * as Ort from "onnxruntime-common";

type Listener = (line: string) => void;

/** Hears what onnxruntime's wasm prints; nothing reaches the console meanwhile. */
export interface OrtLog {
  listen<T>(to: Listener, during: () => Promise<T>): Promise<T>;
}

/**
 * onnxruntime-web logs through the `console.error` it found when its wasm started, and nowhere else. So `start`,
 * which must start it, runs with a stand-in there that passes on to the console, or to a listener.
 */
export async function tapLog(start: () => Promise<unknown>): Promise<OrtLog> {
  let listener: Listener | undefined;
  const original = console.error;
  console.error = (...parts: unknown[]) => {
    if (listener) listener(parts.map(String).join(" "));
    else original.apply(console, parts);
  };
  try {
    await start();
  } finally {
    console.error = original;
  }
  return {
    async listen(to, during) {
      listener = to;
      try {
        return await during();
      } finally {
        listener = undefined;
      }
    },
  };
}

/**
 * Creates the session once more with the fallback allowed and the placement log on, and returns a sentence naming
 * the nodes that were placed on the CPU.
 */
export async function nodesOnCpu(
  ort: Pick<typeof Ort, "InferenceSession">,
  log: OrtLog,
  onnx: Uint8Array,
  options: Ort.InferenceSession.SessionOptions,
): Promise<string> {
  const lines: string[] = [];
  const verbose = { ...options, extra: {}, logSeverityLevel: LOG_VERBOSE } as const;
  await log.listen(
    (line) => lines.push(line),
    async () => {
      try {
        const session = await ort.InferenceSession.create(onnx, verbose);
        await session.release();
      } catch (error) {
        lines.push(String(error));
      }
    },
  );
  return describePlacement(lines);
}

/** Reads onnxruntime's log lines: `Node(s) placed on [CPU…]`, then one `Op (name)` a line. */
export function describePlacement(lines: readonly string[]): string {
  const nodes = new Set<string>();
  let onCpu = false;
  for (const line of lines.flatMap((text) => text.split("\n"))) {
    if (line.includes("placed on [")) onCpu = line.includes("[CPUExecutionProvider]");
    const node = /(?:^|\] )\s*(\w+ \([^()]+\))\s*$/.exec(line);
    if (onCpu && node) nodes.add(node[1] ?? "");
  }
  const list = nodes.size > 0 ? [...nodes].join(", ") : "unknown ones";
  return `some nodes would run on the CPU, which is refused: ${list}`;
}

const LOG_VERBOSE = 0;
