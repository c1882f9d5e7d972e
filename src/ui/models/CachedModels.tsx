/** @file What this browser keeps of the Hub, one kind of it: each with its size, taken or removed with one press. */

import { useEffect, useState } from "react";
import type { CachedModel } from "../../records/model.ts";
import { useActions, useApp } from "../app.tsx";
import { Button, IconButton } from "../controls/Button.tsx";
import { Confirm } from "../controls/Dialog.tsx";
import { Disclosure } from "../controls/Disclosure.tsx";
import { toast } from "../controls/toasts.ts";
import { bytes } from "../format.ts";
import { Text } from "../controls/layout.tsx";
import s from "../cells/model/ModelCell.module.css";

/** The models that this browser keeps, each with its size and a way to remove it. */
export function CachedModels({
  of,
  disabled,
  onPick,
}: {
  readonly of: "models" | "embedders";
  readonly disabled: boolean;
  readonly onPick: (model: CachedModel) => void;
}) {
  const all = useApp(({ device }) => device.cached);
  const { loadCachedModels, removeCachedModel } = useActions();
  const [leaving, setLeaving] = useState<CachedModel | null>(null);
  useEffect(() => {
    if (!all) void loadCachedModels().catch(() => undefined);
  }, [all, loadCachedModels]);
  const cached = all?.filter(({ onnx }) => (onnx !== undefined) === (of === "embedders")) ?? [];
  if (cached.length === 0) return null;
  const remove = async (): Promise<void> => {
    if (!leaving) return;
    try {
      await removeCachedModel(leaving);
    } catch (error) {
      toast.failed((error as Error).message);
    }
  };
  return (
    <Disclosure summary={`In this browser: ${cached.length}`} defaultOpen>
      <Text as="ul" plainList className={s.cached}>
        {cached.map((model) => (
          <li key={`${model.repo}@${model.revision} ${model.onnx ?? ""}`}>
            <Text shrinks anywhere style={{ flex: "1 1 12rem" }}>
              {model.repo}
              {model.revision !== "main" && <Text tone="soft"> at {model.revision}</Text>}
            </Text>
            <span className="num">{bytes(model.bytes)}</span>
            <Text tone="soft">
              {model.onnx && `${model.onnx}, `}
              {model.complete ? "complete" : "in part; it goes on where it stopped"}
              {model.copies && `, ${bytes(model.copies)} of it rounded copies`}
            </Text>
            <Button size="s" disabled={disabled} onClick={() => onPick(model)}>
              Use
            </Button>
            <IconButton
              icon="trash"
              size="s"
              label={`Remove ${model.repo} from this browser`}
              disabled={disabled}
              onClick={() => setLeaving(model)}
            />
          </li>
        ))}
      </Text>
      <Confirm
        open={leaving !== null}
        onOpenChange={() => setLeaving(null)}
        title="Remove the model?"
        description={`${leaving?.repo ?? ""} takes ${bytes(leaving?.bytes ?? 0)} here. Memories made with it stay; to use them it must be fetched again.`}
        confirm="Remove it"
        onConfirm={() => void remove()}
      />
    </Disclosure>
  );
}
