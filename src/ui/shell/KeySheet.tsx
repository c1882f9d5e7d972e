/** @file The sheet of keys behind "?". */

import { Dialog } from "../controls/Dialog.tsx";
import { KEYS } from "./useKeys.ts";
import { Grid, Stack } from "../controls/layout.tsx";
import s from "./KeySheet.module.css";

export function KeySheet({
  open,
  onOpenChange,
}: {
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
}) {
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title="Keys"
      description="They act while you are not typing. On a Mac, ⌘ does what Ctrl does."
    >
      <Stack as="dl">
        {KEYS.map(([keys, meaning]) => (
          <Grid key={keys} gap={3} columns="9rem 1fr" className={s.row}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{meaning}</dd>
          </Grid>
        ))}
      </Stack>
    </Dialog>
  );
}
