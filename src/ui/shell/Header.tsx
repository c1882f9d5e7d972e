/** @file The head of the page: the notebooks, what keeps them, how it looks, and what leaves the tab (nothing). */

import { useEffect, useState } from "react";
import { useActions, useApp } from "../app.tsx";
import { IconButton } from "../controls/Button.tsx";
import { Menu } from "../controls/Menu.tsx";
import { DeviceBadge } from "./DeviceBadge.tsx";
import { KeySheet } from "./KeySheet.tsx";
import { NotebookMenu } from "./NotebookMenu.tsx";
import { RunStatus } from "./RunStatus.tsx";
import { StorageMenu } from "./StorageMenu.tsx";
import { HELP_EVENT } from "./useKeys.ts";
import { Row, Text } from "../controls/layout.tsx";
import s from "./Header.module.css";

export function Header() {
  const [keys, setKeys] = useState(false);
  useEffect(() => {
    const show = (): void => setKeys(true);
    addEventListener(HELP_EVENT, show);
    return () => removeEventListener(HELP_EVENT, show);
  }, []);
  return (
    <Row as="header" align="center" gap={3} className={s.header}>
      <span className={s.name} aria-hidden="true">
        Palimpsest
      </span>
      <NotebookMenu />
      <RunStatus />
      <Row align="center" gap={1} flex="end">
        <Text tone="soft" size="s" className={s.privacy}>
          Nothing you load leaves this tab
        </Text>
        <DeviceBadge />
        <StorageMenu />
        <ThemeMenu />
        <span className={s.wide}>
          <IconButton icon="keyboard" label="Keys" keys="?" onClick={() => setKeys(true)} />
        </span>
      </Row>
      <KeySheet open={keys} onOpenChange={setKeys} />
    </Row>
  );
}

function ThemeMenu() {
  const theme = useApp((state) => state.theme);
  const { setTheme } = useActions();
  const icon = theme === "light" ? "sun" : theme === "dark" ? "moon" : "system";
  return (
    <Menu
      label="Theme"
      trigger={<IconButton icon={icon} label="Theme" />}
      groups={[
        (["light", "dark", "system"] as const).map((name) => ({
          label: NAMES[name],
          icon: ICONS[name],
          checked: theme === name,
          onSelect: () => setTheme(name),
        })),
      ]}
    />
  );
}

const NAMES = { light: "Light", dark: "Dark", system: "As the system has it" } as const;
const ICONS = { light: "sun", dark: "moon", system: "system" } as const;
