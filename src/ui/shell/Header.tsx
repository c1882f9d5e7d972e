/** @file The head of the page: the notebooks, the running cell, the device, storage, theme and keys. */

import type { DeviceCard } from "../../records/model.ts";
import {
  EXPORTED,
  isArchive,
  useFilePicker,
  useNotebookDrop,
  type NamedFile,
} from "../controls/DropZone.tsx";
import { useEffect, useState } from "react";
import { currentOf, useActions, useApp } from "../app.tsx";
import { Button, IconButton, Badge, type Tone, Icon, Grid, Row, Stack, Text } from "../controls/basics.tsx";
import { Menu, Dialog, Confirm, type DialogProps } from "../controls/Dialog.tsx";
import {
  HELP_EVENT,
  KEYS,
  PALETTE_EVENT,
  useGoing,
  useNotebookItems,
  type GoingRun,
} from "./notebookItems.ts";
import { attempt, goToCell, toast } from "../controls/page.ts";
import { cellTitle } from "../../notebook/kinds.ts";
import { shareDone, spoken } from "../cells/frame/RunLive.tsx";
import { percent, bytes } from "../format.ts";
import { lazily, Progress, useWindowEvent } from "../controls/useAsync.tsx";
import s from "./Header.module.css";

const Palette = lazily(async () => (await import("./Palette.tsx")).Palette);

export function Header() {
  const [keys, setKeys] = useState(false);
  const [palette, setPalette] = useState(false);
  const opened = useApp((state) => currentOf(state) !== null);
  const { pick, input } = useNotebookFiles();
  useWindowEvent(HELP_EVENT, () => setKeys(true));
  useWindowEvent(PALETTE_EVENT, () => setPalette(true));
  return (
    <Row as="header" align="center" gap={3} className={s.header}>
      <span className={s.name} aria-hidden="true">
        Palimpsest
      </span>
      <NotebookMenu onImport={pick} />
      <RunStatus />
      <Row align="center" gap={1} flex="end" className={s.tools}>
        <Text tone="soft" size="s" className={s.privacy}>
          Nothing you load leaves this tab
        </Text>
        <DeviceBadge />
        <StorageMenu />
        <ThemeMenu />
        <IconButton icon="search" label="Go to, find or do" keys="Ctrl K" onClick={() => setPalette(true)} />
        <IconButton icon="keyboard" label="Keys" keys="?" onClick={() => setKeys(true)} />
      </Row>
      <KeySheet open={keys} onOpenChange={setKeys} />
      {opened && palette && <Palette onClose={() => setPalette(false)} onImport={pick} />}
      {input}
    </Row>
  );
}

function ThemeMenu() {
  const theme = useApp((state) => state.theme);
  const { setTheme } = useActions();
  return (
    <Menu
      label="Theme"
      trigger={<IconButton icon={ICONS[theme]} label="Theme" />}
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
  const [tone, words] = stateOf(model?.device, event?.kind);
  return !words ? null : (
    <Button
      look="quiet"
      size="s"
      aria-label={`Device: ${words}. Show the device card.`}
      onClick={() => inspect("device")}
    >
      <Badge tone={tone}>{words}</Badge>
    </Button>
  );
}

function stateOf(device: DeviceCard | undefined, event: string | undefined): [Tone, string | null] {
  if (event === "lost" || event === "failed") return ["rubric", "Device lost"];
  if (event === "reloading") return ["ochre", "Reloading the model"];
  if (!device) return ["plain", null];
  const name = device.backend === "webgpu" ? "WebGPU" : device.backend;
  const { verdict } = device.selfTest;
  return verdict === "pass" ? ["verdigris", `${name} ready`] : ["ochre", `${name}, self-test ${verdict}`];
}

const KeySheet = ({ open, onOpenChange }: Pick<DialogProps, "open" | "onOpenChange">) => (
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

/** Files that Palimpsest exported, chosen or dropped anywhere. */
function useNotebookFiles() {
  const { openFile } = useActions();
  const open = (files: readonly NamedFile[]): void =>
    void attempt(async () => {
      // A notebook comes before the memory that was chosen with it.
      for (const { file } of files.toSorted(
        (a, b) => Number(isArchive(a.file)) - Number(isArchive(b.file)),
      )) {
        const done = await openFile(file);
        if (done) toast.said(done);
      }
    });
  useNotebookDrop(open);
  return useFilePicker({ label: "Notebook file", accept: EXPORTED, multiple: true, onFiles: open });
}

function NotebookMenu({ onImport }: { readonly onImport: () => void }) {
  const title = useApp(currentOf)?.notebook.title;
  return (
    <Menu
      label="Notebooks"
      align="start"
      trigger={
        <Button look="quiet" className={s.trigger}>
          <span className={s.title}>{title || "Notebooks"}</span>
          <Icon name="chevron" size={14} />
        </Button>
      }
      groups={useNotebookItems(onImport)}
    />
  );
}

function RunStatus() {
  const going = useGoing();
  const { openNotebook } = useActions();
  useTabTitle(going);
  useFollowing(going?.here ? going.cell.id : null);
  if (!going) return null;
  const { cell, notebook, run, here } = going;
  const share = shareDone(run.progress);
  const name = here ? cellTitle(cell) : `“${notebook.title || "Untitled notebook"}”, ${cellTitle(cell)}`;
  const show = async (): Promise<void> => {
    if (!here) await openNotebook(notebook.id);
    goToCell(cell.id);
  };
  return (
    <div className={s.status}>
      <Button
        look="quiet"
        size="s"
        aria-label={`${name}: show the cell that runs`}
        onClick={() => void show()}
      >
        <Row as="span" gap="0.5rem" shrinks whiteSpace="nowrap">
          <span className={s.runStatusName}>{name}</span>
          <span className={s.what}>{spoken(run)}</span>
          <span className={s.short}>{share === null ? "Runs" : percent(share)}</span>
        </Row>
      </Button>
      <span
        className={s.track}
        data-moving={share === null}
        style={{ "--done": share ?? 0 } as React.CSSProperties}
        aria-hidden="true"
      />
    </div>
  );
}

function useTabTitle(going: GoingRun | null): void {
  const open = useApp((state) => currentOf(state)?.notebook.title ?? "");
  let title = open === "" ? "Palimpsest" : `${open}, Palimpsest`;
  if (going) {
    const { run, cell, notebook } = going;
    const share = shareDone(run.progress);
    const state = run.status === "paused" ? "Paused: " : share === null ? "Running: " : `${percent(share)} `;
    title = `${state}${cellTitle(cell)}, ${notebook.title || "Palimpsest"}`;
  }
  useEffect(() => {
    document.title = title;
  }, [title]);
}

/** While the whole notebook runs the page goes to each cell that begins, until the person goes elsewhere. */
function useFollowing(cellId: string | null): void {
  const following = useApp((state) => state.following);
  const { stopFollowing } = useActions();
  useEffect(() => {
    if (following && cellId) goToCell(cellId, { focus: false });
  }, [following, cellId]);
  useEffect(() => {
    if (!following) return;
    const moves = ["wheel", "touchmove", "keydown"] as const;
    for (const move of moves) addEventListener(move, stopFollowing, { passive: true });
    return () => {
      for (const move of moves) removeEventListener(move, stopFollowing);
    };
  }, [following, stopFollowing]);
}

function StorageMenu() {
  const [open, setOpen] = useState(false);
  const [wiping, setWiping] = useState(false);
  const canWrite = useApp(({ lock }) => lock.role !== "reader");
  const { refreshStorage, wipe } = useActions();
  useEffect(() => {
    if (open) void refreshStorage();
  }, [open, refreshStorage]);
  return (
    <>
      <IconButton icon="lock" label="Storage and privacy" onClick={() => setOpen(true)} />
      <Dialog
        open={open}
        onOpenChange={setOpen}
        title="Storage in this browser"
        description="Texts, notebooks and memories stay in this browser. Nothing you load leaves this tab. The only external request is the download of a model that you choose."
        actions={
          <Button
            look="danger"
            disabled={!canWrite}
            onClick={() => {
              setOpen(false);
              setWiping(true);
            }}
            label="Wipe everything"
          />
        }
      >
        <Kept />
        <Cached disabled={!canWrite} />
      </Dialog>
      <Confirm
        open={wiping}
        onOpenChange={setWiping}
        title="Wipe everything?"
        description="Every notebook, text, memory and run in this browser is removed, and the encoding cache, in all tabs. Models in the cache stay. This cannot be undone: export what you want to keep."
        confirm="Wipe everything"
        onConfirm={() => void told(wipe, "Everything was removed from this browser.")}
      />
    </>
  );
}

function Kept() {
  const storage = useApp((state) => state.storage);
  const { persist } = useActions();
  return (
    <>
      {storage?.usage != null && storage.quota != null ? (
        <InUse label="Storage in use" bytes={storage.usage} of={storage.quota} />
      ) : (
        <p>This browser does not say how much is stored.</p>
      )}
      <Row {...ABOUT}>
        {storage?.persisted
          ? "The browser has promised not to throw it out when space runs low."
          : "The browser may throw it out when space runs low."}
        {!storage?.persisted && (
          <Button size="s" label="Ask it to keep everything" onClick={() => void persist()} />
        )}
      </Row>
    </>
  );
}

function Cached({ disabled }: { readonly disabled: boolean }) {
  const cache = useApp(({ storage }) => storage?.cache);
  const { clearCache } = useActions();
  if (!cache || cache.rows === 0) return null;
  const clear = (): void => void told(clearCache, "The encoding cache is empty.");
  return (
    <>
      <InUse label="Encoding cache" bytes={cache.bytes} of={cache.budget} />
      <Row {...ABOUT}>
        Vectors and replies for sentences that were memorised before, so that no sentence is encoded twice. It
        can hold their words, and stays when a memory is cleared. Deleting a fact removes it here too.
        <Button size="s" label="Empty the cache" disabled={disabled} onClick={clear} />
      </Row>
    </>
  );
}

const ABOUT = { as: "p", wrap: true, align: "center", gap: "0.5rem 1rem", above: 3, below: 4 } as const;

const InUse = ({ label, bytes: done, of }: Readonly<{ label: string; bytes: number; of: number }>) => (
  <Progress role="meter" label={label} detail={`${bytes(done)} of ${bytes(of)}`} done={done} total={of} />
);

const told = (remove: () => Promise<void>, gone: string): Promise<void> =>
  attempt(async () => {
    await remove();
    toast.said(gone);
  });
