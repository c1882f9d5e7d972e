/** @file Storage in this browser: how much, whether it may be thrown out, and the way to remove all of it. */

import { useEffect, useState } from "react";
import { useActions, useApp } from "../app.tsx";
import { Button, IconButton } from "../controls/Button.tsx";
import { Confirm, Dialog } from "../controls/Dialog.tsx";
import { Meter } from "../controls/Progress.tsx";
import { attempt, toast } from "../controls/toasts.ts";
import { bytes } from "../format.ts";
import { Row } from "../controls/layout.tsx";

export function StorageMenu() {
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
          >
            Wipe everything
          </Button>
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
        <Meter
          label="Storage in use"
          detail={`${bytes(storage.usage)} of ${bytes(storage.quota)}`}
          value={storage.usage}
          max={storage.quota}
        />
      ) : (
        <p>This browser does not say how much is stored.</p>
      )}
      <Row as="p" wrap align="center" gap="var(--space-2) var(--space-4)" above={3} below={4}>
        {storage?.persisted
          ? "The browser has promised not to throw it out when space runs low."
          : "The browser may throw it out when space runs low."}
        {!storage?.persisted && (
          <Button size="s" onClick={() => void persist()}>
            Ask it to keep everything
          </Button>
        )}
      </Row>
    </>
  );
}

function Cached({ disabled }: { readonly disabled: boolean }) {
  const cache = useApp(({ storage }) => storage?.cache);
  const { clearCache } = useActions();
  if (!cache || cache.rows === 0) return null;
  return (
    <>
      <Meter
        label="Encoding cache"
        detail={`${bytes(cache.bytes)} of ${bytes(cache.budget)}`}
        value={cache.bytes}
        max={cache.budget}
      />
      <Row as="p" wrap align="center" gap="var(--space-2) var(--space-4)" above={3} below={4}>
        Vectors and replies for sentences that were memorised before, so that no sentence is encoded twice. It
        can hold their words, and stays when a memory is cleared. Deleting a fact removes it here too.
        <Button
          size="s"
          disabled={disabled}
          onClick={() => void told(clearCache, "The encoding cache is empty.")}
        >
          Empty the cache
        </Button>
      </Row>
    </>
  );
}

const told = (remove: () => Promise<void>, gone: string): Promise<void> =>
  attempt(async () => {
    await remove();
    toast.said(gone);
  });
