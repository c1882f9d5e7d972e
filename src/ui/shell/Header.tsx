/** @file The head of the page: the notebooks, what keeps them, how it looks, and what leaves the tab (nothing). */

import { useEffect, useState } from "react";
import { useActions, useApp } from "../app.tsx";
import { Button, IconButton } from "../controls/Button.tsx";
import { Menu } from "../controls/Menu.tsx";
import { NotebookMenu } from "./NotebookMenu.tsx";
import { RunStatus } from "./RunStatus.tsx";
import { StorageMenu } from "./StorageMenu.tsx";
import { HELP_EVENT, KEYS } from "./useKeys.ts";
import { Grid, Row, Stack, Text } from "../controls/layout.tsx";
import { Badge, type Tone } from "../controls/Badge.tsx";
import { Dialog } from "../controls/Dialog.tsx";
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

function DeviceBadge() {
  const worker = useApp(({ workers }) => workers.engine);
  const { model, event } = useApp(({ device }) => device);
  const { inspect, restartWorker } = useActions();
  if (worker.status === "crashed")
    return (
      <Button size="s" look="danger" onClick={() => void restartWorker("engine")}>
        Engine stopped. Start again
      </Button>
    );
  const [tone, words] = state(
    model?.device.backend ?? null,
    model?.device.selfTest.verdict ?? null,
    event?.kind ?? null,
  );
  if (!words) return null;
  return (
    <Button
      look="quiet"
      size="s"
      aria-label={`Device: ${words}. Show the device card.`}
      onClick={() => inspect({ kind: "device" })}
    >
      <Badge tone={tone}>{words}</Badge>
    </Button>
  );
}

function state(backend: string | null, verdict: string | null, event: string | null): [Tone, string | null] {
  if (event === "lost" || event === "failed") return ["rubric", "Device lost"];
  if (event === "reloading") return ["ochre", "Reloading the model"];
  if (!backend) return ["plain", null];
  const name = backend === "webgpu" ? "WebGPU" : backend;
  return verdict === "pass"
    ? ["verdigris", `${name} ready`]
    : ["ochre", `${name}, self-test ${verdict ?? "unknown"}`];
}

function KeySheet({
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
