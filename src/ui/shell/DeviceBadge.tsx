/** @file Where the model runs, in a word; opens the device card in the drawer. */

import { useActions, useApp } from "../app.tsx";
import { Badge, type Tone } from "../controls/Badge.tsx";
import { Button } from "../controls/Button.tsx";

export function DeviceBadge() {
  const worker = useApp(({ workers }) => workers.engine);
  const { model, event } = useApp(({ device }) => device);
  const { inspect, restartWorker } = useActions();
  if (worker.status === "crashed")
    return (
      <Button size="s" look="danger" onClick={() => void restartWorker("engine")}>
        Engine stopped. Start again
      </Button>
    );
  const [tone, words] = state(
    model?.device.backend ?? null,
    model?.device.selfTest.verdict ?? null,
    event?.kind ?? null,
  );
  if (!words) return null;
  return (
    <Button
      look="quiet"
      size="s"
      aria-label={`Device: ${words}. Show the device card.`}
      onClick={() => inspect({ kind: "device" })}
    >
      <Badge tone={tone}>{words}</Badge>
    </Button>
  );
}

function state(backend: string | null, verdict: string | null, event: string | null): [Tone, string | null] {
  if (event === "lost" || event === "failed") return ["rubric", "Device lost"];
  if (event === "reloading") return ["ochre", "Reloading the model"];
  if (!backend) return ["plain", null];
  const name = backend === "webgpu" ? "WebGPU" : backend;
  return verdict === "pass"
    ? ["verdigris", `${name} ready`]
    : ["ochre", `${name}, self-test ${verdict ?? "unknown"}`];
}
