/** @file The sheet of keys behind "?". */

import { Dialog } from "../controls/Dialog.tsx";
import { KEYS } from "./useKeys.ts";
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
      <dl className={s.keys}>
        {KEYS.map(([keys, meaning]) => (
          <div key={keys} className={s.row}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
