/** @file What opens: dialogs that take the focus and return it, menus, and parts of a cell that fold. */

import { Dialog as Radix, DropdownMenu as RadixMenu, Collapsible } from "radix-ui";
import { type ReactNode, useRef } from "react";
import { cx, Row, Button, IconButton, Text, Icon, type IconName, usePrinting } from "./basics.tsx";
import s from "./Dialog.module.css";
import menu from "./Menu.module.css";
import fold from "./Disclosure.module.css";

export interface DialogProps {
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  readonly title: ReactNode;
  readonly description?: ReactNode;
  readonly children?: ReactNode;
  readonly actions?: ReactNode;
  readonly wide?: boolean;
}

export const Dialog = ({ open, onOpenChange, title, description, children, actions, wide }: DialogProps) => (
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

function focusFirst(event: Event): void {
  event.preventDefault();
  const dialog = event.target as HTMLElement;
  (dialog.querySelector<HTMLElement>("input, textarea, select") ?? dialog).focus();
}

/** Asks before something is lost; `confirm` names what is done ("Wipe everything"), never "OK". */
export const Confirm = ({
  confirm,
  onConfirm,
  ...dialog
}: Omit<DialogProps, "actions"> & { readonly confirm: string; readonly onConfirm: () => void }) => (
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
          label={confirm}
        />
      </>
    }
  />
);

export interface MenuItem {
  readonly label: ReactNode;
  readonly icon?: IconName;
  readonly note?: ReactNode;
  readonly keys?: string;
  readonly disabled?: boolean;
  readonly danger?: boolean;
  readonly checked?: boolean;
  /** It moves the focus itself: the menu does not give it back to its button. */
  readonly takesFocus?: boolean;
  readonly onSelect: () => void;
}

interface MenuProps {
  readonly trigger: ReactNode;
  readonly label: string;
  readonly groups: readonly (readonly (MenuItem | false)[])[];
  readonly align?: "start" | "center" | "end";
}

export function Menu({ trigger, label, groups, align = "end" }: MenuProps) {
  const shown = groups
    .map((group) => group.filter((item) => item !== false))
    .filter((group) => group.length > 0);
  const taken = useRef(false);
  return (
    <RadixMenu.Root modal={false}>
      <RadixMenu.Trigger asChild>{trigger}</RadixMenu.Trigger>
      <RadixMenu.Portal>
        <RadixMenu.Content
          className={menu.menu}
          align={align}
          sideOffset={4}
          collisionPadding={8}
          aria-label={label}
          onCloseAutoFocus={(event) => {
            if (taken.current) event.preventDefault();
            taken.current = false;
          }}
        >
          {shown.map((group, i) => (
            <RadixMenu.Group key={i} className={menu.group}>
              {group.map((item, j) => (
                <RadixMenu.Item
                  key={j}
                  className={cx(menu.item, item.danger && menu.danger)}
                  disabled={item.disabled ?? false}
                  onSelect={() => {
                    taken.current = item.takesFocus ?? false;
                    item.onSelect();
                  }}
                >
                  <Row as="span" flex="fixed" tone="soft" inline className={menu.icon}>
                    {(item.checked || item.icon) && (
                      <Icon name={item.checked ? "check" : item.icon!} size={15} />
                    )}
                  </Row>
                  <Text flex="grow" shrinks>
                    {item.label}
                    {item.note && (
                      <Text tone="soft" size="s" style={{ display: "block" }}>
                        {item.note}
                      </Text>
                    )}
                  </Text>
                  {item.keys && <kbd className={menu.keys}>{item.keys}</kbd>}
                </RadixMenu.Item>
              ))}
            </RadixMenu.Group>
          ))}
        </RadixMenu.Content>
      </RadixMenu.Portal>
    </RadixMenu.Root>
  );
}

export function Disclosure(
  props: Collapsible.CollapsibleProps & Readonly<{ summary: ReactNode; note?: ReactNode; aside?: ReactNode }>,
) {
  const { summary, note, aside, children, ...state } = props;
  const head = note ? (
    <>
      {summary}{" "}
      <Text tone="soft" size="s" style={{ marginLeft: "0.6em" }}>
        {note}
      </Text>
    </>
  ) : (
    summary
  );
  return usePrinting() ? (
    <details open>
      <summary>
        {head} {aside && <Text size="s">{aside}</Text>}
      </summary>
      <div className={fold.content}>{children}</div>
    </details>
  ) : (
    <Collapsible.Root className={fold.root} {...state}>
      <Collapsible.Trigger className={fold.trigger}>
        <span className={fold.mark}>
          <Icon name="right" size={14} />
        </span>
        <Text shrinks style={{ flex: "1 1 10rem" }}>
          {head}
        </Text>
        {aside && <Text size="s">{aside}</Text>}
      </Collapsible.Trigger>
      <Collapsible.Content className={fold.content}>{children}</Collapsible.Content>
    </Collapsible.Root>
  );
}
