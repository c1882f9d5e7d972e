/** @file What a run would do, asked of the engine whenever what it depends on changes. */

import { useEffect, useState } from "react";
import type { DocumentId } from "../../../records/ids.ts";
import type { MethodParams } from "../../../records/params.ts";
import type { MemorizeEstimate } from "../../../rpc/protocol.ts";
import { useApp, useServices } from "../../app.tsx";

export type EstimateState =
  /** "closed": no model is open; "empty": there is no text to memorise. */
  | { readonly status: "closed" | "empty" | "working" }
  | { readonly status: "ready"; readonly estimate: MemorizeEstimate; readonly stored: number }
  | { readonly status: "failed"; readonly message: string };

/** `documents` whose text is kept; `usable` is false while the parameters are not valid. */
export function useEstimate(
  memory: string,
  documents: readonly DocumentId[],
  params: MethodParams,
  usable: boolean,
): EstimateState {
  const { engine, library } = useServices();
  const model = useApp(({ device }) => device.model?.identity.sha256 ?? null);
  const running = useApp(({ runs }) => Object.values(runs).some(({ status }) => status === "running"));
  const facts = useApp(({ memory: { info } }) => info?.facts ?? 0);
  const [state, setState] = useState<EstimateState>({ status: "working" });
  const ids = documents.join(" ");
  useEffect(() => {
    if (!ids) setState({ status: "empty" });
    else if (!model) setState({ status: "closed" });
    // One device, one queue: an estimate does not wait behind a run.
    else if (usable && !running) return ask();
    return undefined;

    function ask(): () => void {
      let over = false;
      const timer = setTimeout(() => {
        setState((now) => (now.status === "ready" ? now : { status: "working" }));
        const argument = { memory, documents: ids.split(" ") as DocumentId[], params };
        Promise.all([engine().estimate(argument), library().memoryInfo({ memory })]).then(
          ([estimate, info]) => {
            if (!over) setState({ status: "ready", estimate, stored: info?.facts ?? 0 });
          },
          (error: unknown) => {
            if (!over)
              setState({ status: "failed", message: error instanceof Error ? error.message : String(error) });
          },
        );
      }, TYPING_MS);
      return () => {
        over = true;
        clearTimeout(timer);
      };
    }
  }, [memory, ids, params, model, usable, running, facts, engine, library]);
  return state;
}

const TYPING_MS = 350;
