/** @file What this browser keeps: how much, whether it may be thrown out, and the way to remove all of it. */

import { useEffect, useState } from "react";
import { useActions, useApp } from "../app.tsx";
import { Button, IconButton } from "../controls/Button.tsx";
import { Confirm, Dialog } from "../controls/Dialog.tsx";
import { Meter } from "../controls/Progress.tsx";
import { toast } from "../controls/toasts.ts";
import { bytes } from "../format.ts";
import s from "./StorageMenu.module.css";

export function StorageMenu() {
  const [open, setOpen] = useState(false);
  const [wiping, setWiping] = useState(false);
  const storage = useApp((state) => state.storage);
  const canWrite = useApp(({ lock }) => lock.role !== "reader");
  const { refreshStorage, persist, clearCache, wipe } = useActions();
  useEffect(() => {
    if (open) void refreshStorage();
  }, [open, refreshStorage]);
  const wipeAll = async (): Promise<void> => {
    try {
      await wipe();
      toast.said("Everything was removed from this browser.");
    } catch (error) {
      toast.failed((error as Error).message);
    }
  };
  const emptyCache = async (): Promise<void> => {
    try {
      await clearCache();
      toast.said("The encoding cache is empty.");
    } catch (error) {
      toast.failed((error as Error).message);
    }
  };
  return (
    <>
      <IconButton icon="lock" label="Storage and privacy" onClick={() => setOpen(true)} />
      <Dialog
        open={open}
        onOpenChange={setOpen}
        title="What this browser keeps"
        description="Texts, notebooks and memories stay in this browser. Nothing you load leaves this tab: the only request to another place is the download of a model that you ask for by name."
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
        <p className={s.persist}>
          {storage?.persisted
            ? "The browser has promised not to throw it out when space runs low."
            : "The browser may throw it out when space runs low."}
          {!storage?.persisted && (
            <Button size="s" onClick={() => void persist()}>
              Ask it to keep everything
            </Button>
          )}
        </p>
        {storage && storage.cache.rows > 0 && (
          <>
            <Meter
              label="Encoding cache"
              detail={`${bytes(storage.cache.bytes)} of ${bytes(storage.cache.budget)}`}
              value={storage.cache.bytes}
              max={storage.cache.budget}
            />
            <p className={s.persist}>
              Sealed vectors of sentences that were memorised before: the same sentence is not encoded twice.
              It stays when a memory is cleared; a fact that is deleted goes from it too.
              <Button size="s" disabled={!canWrite} onClick={() => void emptyCache()}>
                Empty the cache
              </Button>
            </p>
          </>
        )}
      </Dialog>
      <Confirm
        open={wiping}
        onOpenChange={setWiping}
        title="Wipe everything?"
        description="Every notebook, text, memory and run in this browser is removed, and the encoding cache, in all tabs. Models in the cache stay. This cannot be undone: export what you want to keep."
        confirm="Wipe everything"
        onConfirm={() => void wipeAll()}
      />
    </>
  );
}
