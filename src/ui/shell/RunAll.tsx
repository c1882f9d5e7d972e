/** @file One button that runs the notebook from the top, and stops it. */

import { useActions, useApp, useCanWrite } from "../app.tsx";
import { Button } from "../controls/Button.tsx";

export function RunAll() {
  const busy = useApp(({ runs }) => Object.values(runs).some(({ status }) => BUSY.has(status)));
  const canWrite = useCanWrite();
  const { runAll, cancelAll } = useActions();
  if (busy)
    return (
      <Button icon="stop" onClick={cancelAll}>
        Stop
      </Button>
    );
  return (
    <Button look="primary" icon="run" disabled={!canWrite} onClick={() => void runAll()}>
      Run all
    </Button>
  );
}

const BUSY: ReadonlySet<string> = new Set(["queued", "running", "paused"]);
