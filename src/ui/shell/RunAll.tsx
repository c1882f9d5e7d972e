/** @file One button that runs the notebook from the top, and stops it; says which notebook runs where it is another one. */

import { somethingGoes } from "../../state/going.ts";
import { useActions, useApp, useCanWrite } from "../app.tsx";
import { Button } from "../controls/Button.tsx";
import { useGoing } from "./useGoing.ts";

export function RunAll() {
  const busy = useApp(somethingGoes);
  const canWrite = useCanWrite();
  const { runAll, cancelAll } = useActions();
  const going = useGoing();
  if (busy)
    return (
      // The second click of a double click on "Run all" is none on "Stop".
      <Button icon="stop" onClick={({ detail }) => detail < 2 && cancelAll()}>
        {going && !going.here ? `Stop “${going.notebook.title || "Untitled notebook"}”` : "Stop"}
      </Button>
    );
  return (
    <Button look="primary" icon="run" disabled={!canWrite} onClick={() => void runAll()}>
      Run all
    </Button>
  );
}
