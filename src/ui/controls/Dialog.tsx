/** @file A dialog that takes the focus and returns it; Confirm asks before irreversible actions. */

import { Dialog as Radix } from "radix-ui";
import type { ReactNode } from "react";
import { cx, Row } from "./layout.tsx";
import { Button, IconButton } from "./basics.tsx";
import s from "./Dialog.module.css";

export interface DialogProps {
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  readonly title: ReactNode;
  /** Read aloud with the title. */
  readonly description?: ReactNode;
  readonly children?: ReactNode;
  readonly actions?: ReactNode;
  readonly wide?: boolean;
}

export function Dialog({ open, onOpenChange, title, description, children, actions, wide }: DialogProps) {
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <Radix.Overlay className={s.overlay} />
        <Radix.Content
          className={cx(s.dialog, wide && s.wide)}
          onOpenAutoFocus={focusFirst}
          {...(description ? {} : { "aria-describedby": undefined })}
        >
          <Row as="header" align="center" gap={4} justify="between">
            <Radix.Title className={s.title}>{title}</Radix.Title>
            <Radix.Close asChild>
              <IconButton icon="close" label="Close" keys="Esc" size="s" />
            </Radix.Close>
          </Row>
          {description && <Radix.Description className={s.description}>{description}</Radix.Description>}
          {children && <div className={s.body}>{children}</div>}
          {actions && (
            <Row as="footer" wrap gap={2} justify="end" above={2}>
              {actions}
            </Row>
          )}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

/** Focus the first field, otherwise the dialog: a tooltip on the close button would take the first Esc. */
function focusFirst(event: Event): void {
  event.preventDefault();
  const dialog = event.target as HTMLElement;
  (dialog.querySelector<HTMLElement>("input, textarea, select") ?? dialog).focus();
}

/** Asks before something is lost; `confirm` names what is done ("Wipe everything"), never "OK". */
export function Confirm({
  confirm,
  onConfirm,
  ...dialog
}: Omit<DialogProps, "actions"> & { readonly confirm: string; readonly onConfirm: () => void }) {
  return (
    <Dialog
      {...dialog}
      actions={
        <>
          <Button label="Keep it" onClick={() => dialog.onOpenChange(false)} />
          <Button
            look="danger"
            onClick={() => {
              dialog.onOpenChange(false);
              onConfirm();
            }}
          >
            {confirm}
          </Button>
        </>
      }
    />
  );
}
