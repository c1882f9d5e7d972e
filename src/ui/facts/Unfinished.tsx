/** @file A run that did not come to its end: what of it is kept, and the way to go on. */

import type { ComponentProps } from "react";
import { useCanWrite } from "../app.tsx";
import { Notice } from "../controls/Badge.tsx";
import { Button } from "../controls/Button.tsx";

export function Unfinished({
  title = "This run is not complete",
  onGoOn,
  ...notice
}: Omit<ComponentProps<typeof Notice>, "actions"> & { readonly onGoOn: () => void }) {
  const canWrite = useCanWrite();
  return (
    <Notice
      title={title}
      actions={
        <Button size="s" icon="run" disabled={!canWrite} onClick={onGoOn}>
          Go on
        </Button>
      }
      {...notice}
    />
  );
}
