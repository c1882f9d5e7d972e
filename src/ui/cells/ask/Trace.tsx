/** @file Why an answer is what it is: the stages, the routing, and every fact that was recalled. */

import { useMemo } from "react";
import type { Answer } from "../../../records/answer.ts";
import type { FactId } from "../../../records/ids.ts";
import type { FactRow } from "../../../records/notebook.ts";
import { counted, duration } from "../../format.ts";
import { RecalledFacts } from "./RecalledFacts.tsx";
import { RoutingTable } from "./RoutingTable.tsx";
import { StageList } from "./StageList.tsx";
import { stages } from "./stages.ts";
import { weighed } from "./trace.ts";
import s from "./Trace.module.css";

export function Trace({
  answer,
  rows,
  lit,
  onInspect,
}: {
  readonly answer: Answer;
  readonly rows: ReadonlyMap<string, FactRow>;
  readonly lit: FactId | null;
  readonly onInspect: (id: FactId) => void;
}) {
  const { route, recalled, cited, milliseconds, settings } = answer;
  const keys = useMemo(() => new Set(cited), [cited]);
  return (
    <div className={s.trace}>
      <StageList stages={stages(answer, rows)} />
      {route.anchors.length > 0 && (
        <div role="group" aria-label="Routing">
          <h3 className={s.heading}>
            Routing{" "}
            <Aside>{`${counted(weighed(route), "anchor")} weighed in ${duration(milliseconds.route)}`}</Aside>
          </h3>
          <RoutingTable route={route} />
        </div>
      )}
      {recalled.length > 0 && (
        <div role="group" aria-label="Recalled facts">
          <h3 className={s.heading}>
            Recalled{" "}
            <Aside>
              {`${counted(recalled.length, "fact")} in ${duration(milliseconds.recall)}, θ = ${settings.theta}, ${
                settings.read === "top1" ? "top-1 read" : "soft read"
              }`}
            </Aside>
          </h3>
          <RecalledFacts
            recalled={recalled}
            cited={keys}
            rows={rows}
            settings={settings}
            lit={lit}
            onInspect={onInspect}
          />
        </div>
      )}
      {recalled.length > 0 && <p className={s.foot}>The answer took {duration(milliseconds.answer)}.</p>}
    </div>
  );
}

function Aside({ children }: { readonly children: string }) {
  return <span className={s.aside}>{children}</span>;
}
