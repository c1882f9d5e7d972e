/** @file What routes to the memory, in one line; the choice itself is fetched when the line is opened. */

import { lazy, Suspense } from "react";
import { useApp, type CellProps } from "../../../app.tsx";
import { Disclosure } from "../../../controls/Disclosure.tsx";
import { choiceText } from "./choiceText.ts";
import { Text } from "../../../controls/layout.tsx";
import s from "../Parameters.module.css";

const EmbedderForm = lazy(() =>
  import("./EmbedderForm.tsx").then((module) => ({ default: module.EmbedderForm })),
);
const OtherEmbedder = lazy(() =>
  import("./OtherEmbedder.tsx").then((module) => ({ default: module.OtherEmbedder })),
);

export function EmbedderLine({ cell, disabled }: CellProps<"memorize"> & { readonly disabled: boolean }) {
  const indexed = useApp(({ memory }) => (memory.info?.facts ? memory.info.embedder : null));
  return (
    <div>
      <Disclosure
        summary={
          <>
            <strong>Text embedder</strong>{" "}
            <Text tone="soft" size="s" className={s.line}>
              {choiceText(cell.input.embedder ?? null)}
            </Text>
          </>
        }
      >
        <Suspense fallback={null}>
          <EmbedderForm cell={cell} disabled={disabled} />
        </Suspense>
      </Disclosure>
      {indexed !== null && (
        <Suspense fallback={null}>
          <OtherEmbedder cell={cell} disabled={disabled} indexed={indexed} />
        </Suspense>
      )}
    </div>
  );
}
