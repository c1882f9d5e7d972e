/** @file One button that runs the notebook from the top, and stops it. */

import { somethingGoes } from "../../state/going.ts";
import { useActions, useApp, useCanWrite } from "../app.tsx";
import { Button } from "../controls/Button.tsx";

export function RunAll() {
  const busy = useApp(somethingGoes);
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
