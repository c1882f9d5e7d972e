/** @file The downloaded models of one kind, with their sizes; each can be used or removed. */

import { useEffect, useState } from "react";
import type { CachedModel } from "../../records/model.ts";
import { useActions, useApp } from "../app.tsx";
import { Button, IconButton } from "../controls/Button.tsx";
import { Confirm } from "../controls/Dialog.tsx";
import { Disclosure } from "../controls/Disclosure.tsx";
import { toast } from "../controls/toasts.ts";
import { bytes } from "../format.ts";
import { Row, Text } from "../controls/layout.tsx";

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
      <Text as="ul" plainList style={{ width: "100%" }}>
        {cached.map((model) => (
          <Row
            as="li"
            key={`${model.repo}@${model.revision} ${model.onnx ?? ""}`}
            wrap
            align="center"
            gap="0.25rem 0.9rem"
            ruled="bottom"
          >
            <Text shrinks anywhere style={{ flex: "1 1 12rem" }}>
              {model.repo}
              {model.revision !== "main" && <Text tone="soft"> at {model.revision}</Text>}
            </Text>
            <span className="num">{bytes(model.bytes)}</span>
            <Text tone="soft">
              {model.onnx && `${model.onnx}, `}
              {model.complete ? "complete" : "partial; the download resumes"}
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
          </Row>
        ))}
      </Text>
      <Confirm
        open={leaving !== null}
        onOpenChange={() => setLeaving(null)}
        title="Remove the model?"
        description={`${leaving?.repo ?? ""} takes ${bytes(leaving?.bytes ?? 0)} here. Memories made with it stay; to use them, download it again.`}
        confirm="Remove"
        onConfirm={() => void remove()}
      />
    </Disclosure>
  );
}
