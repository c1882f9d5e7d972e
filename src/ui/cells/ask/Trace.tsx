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
import { Row, Stack, Text } from "../../controls/layout.tsx";
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
    <Stack gap={4}>
      <StageList stages={stages(answer, rows)} />
      {route.anchors.length > 0 && (
        <div role="group" aria-label="Routing">
          <Row
            as="h3"
            wrap
            align="baseline"
            gap="0 0.8rem"
            font="serif"
            size="l"
            weight="bold"
            className={s.heading}
          >
            Routing{" "}
            <Aside>{`${counted(weighed(route), "anchor")} weighed in ${duration(milliseconds.route)}`}</Aside>
          </Row>
          <RoutingTable route={route} />
        </div>
      )}
      {recalled.length > 0 && (
        <div role="group" aria-label="Recalled facts">
          <Row
            as="h3"
            wrap
            align="baseline"
            gap="0 0.8rem"
            font="serif"
            size="l"
            weight="bold"
            className={s.heading}
          >
            Recalled{" "}
            <Aside>
              {`${counted(recalled.length, "fact")} in ${duration(milliseconds.recall)}, θ = ${settings.theta}, ${
                settings.read === "top1" ? "top-1 read" : "soft read"
              }`}
            </Aside>
          </Row>
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
      {recalled.length > 0 && (
        <Text as="p" tone="soft" size="s">
          The answer took {duration(milliseconds.answer)}.
        </Text>
      )}
    </Stack>
  );
}

function Aside({ children }: { readonly children: string }) {
  return (
    <Text tone="soft" font="sans" size="s" weight="regular">
      {children}
    </Text>
  );
}
