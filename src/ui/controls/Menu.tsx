/** @file A menu behind a button: a list of things to do, in groups. */

import { DropdownMenu as Radix } from "radix-ui";
import { useRef, type ReactNode } from "react";
import { cx, Row, Text } from "./layout.tsx";
import { Icon, type IconName } from "./basics.tsx";
import s from "./Menu.module.css";

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
    <Radix.Root modal={false}>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          className={s.menu}
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
            <Radix.Group key={i} className={s.group}>
              {group.map((item, j) => (
                <Radix.Item
                  key={j}
                  className={cx(s.item, item.danger && s.danger)}
                  disabled={item.disabled ?? false}
                  onSelect={() => {
                    taken.current = item.takesFocus ?? false;
                    item.onSelect();
                  }}
                >
                  <Row as="span" flex="fixed" tone="soft" inline className={s.icon}>
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
                  {item.keys && <kbd className={s.keys}>{item.keys}</kbd>}
                </Radix.Item>
              ))}
            </Radix.Group>
          ))}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
