import { expect, it } from "vitest";
import { describePlacement, tapLog } from "./webGpuDevice.ts";

const LOG = [
  "2026-11-21 [I:onnxruntime:, webgpu_execution_provider.cc:665 GetCapability] webgpu kernel not found in registries for Op type: Sign node name: /Sign_1",
  "2026-11-21 [V:onnxruntime:, session_state.cc:1377 VerifyEachNodeIsAssignedToAnEp] Node placements",
  "2026-11-21 [V:onnxruntime:, session_state.cc:1383 VerifyEachNodeIsAssignedToAnEp]  Node(s) placed on [CPUExecutionProvider]. Number of nodes: 1",
  "2026-11-21 [V:onnxruntime:, session_state.cc:1385 VerifyEachNodeIsAssignedToAnEp]   Sign (/Sign_1)",
  "2026-11-21 [V:onnxruntime:, session_state.cc:1383 VerifyEachNodeIsAssignedToAnEp]  Node(s) placed on [WebGpuExecutionProvider]. Number of nodes: 2",
  "2026-11-21 [V:onnxruntime:, session_state.cc:1385 VerifyEachNodeIsAssignedToAnEp]   Relu (/Relu_0)",
];

it("names the nodes on the CPU and no others", () => {
  expect(describePlacement(LOG)).toBe("some nodes would run on the CPU, which is refused: Sign (/Sign_1)");
});

it("says so when the log names none", () => {
  expect(describePlacement([])).toContain("unknown ones");
});

it("hears a logger that kept the console.error it found at its start", async () => {
  let print: (text: string) => void = () => undefined;
  const before = console.error;
  const log = await tapLog(() => {
    print = console.error.bind(console);
    return Promise.resolve();
  });
  expect(console.error).toBe(before);
  const heard: string[] = [];
  await log.listen(
    (line) => heard.push(line),
    () => Promise.resolve(print("placed")),
  );
  expect(heard).toEqual(["placed"]);
});
