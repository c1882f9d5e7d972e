/** @file A run that did not come to its end: what of it is kept, and the way to go on. */

import type { ReactNode } from "react";
import { useCanWrite } from "../../app.tsx";
import { Notice } from "../../controls/Badge.tsx";
import { Button } from "../../controls/Button.tsx";

export function Unfinished({
  title = "This run is not complete",
  onGoOn,
  children,
}: {
  readonly title?: string;
  readonly onGoOn: () => void;
  readonly children: ReactNode;
}) {
  const canWrite = useCanWrite();
  return (
    <Notice
      tone="ochre"
      title={title}
      actions={
        <Button size="s" icon="run" disabled={!canWrite} onClick={onGoOn}>
          Go on
        </Button>
      }
    >
      {children}
    </Notice>
  );
}
