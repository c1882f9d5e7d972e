/** @file A place to drop files or folders on, with a picker for everyone else. */

import { useRef, useState, type DragEvent, type ReactNode } from "react";
import { cx } from "../cx.ts";
import { Button } from "./Button.tsx";
import { droppedFiles, type NamedFile } from "./droppedFiles.ts";
import { Row, Text } from "./layout.tsx";
import s from "./DropZone.module.css";

export type { NamedFile };

export function DropZone({
  onFiles,
  children,
  accept,
  folders,
  disabled,
  pick = "Choose files",
}: {
  readonly onFiles: (files: readonly NamedFile[]) => void;
  readonly children: ReactNode;
  /** As of an input: ".txt,.pdf". */
  readonly accept?: string;
  /** A folder can be picked as well. */
  readonly folders?: boolean;
  readonly disabled?: boolean;
  readonly pick?: string;
}) {
  const [over, setOver] = useState(false);
  const drop = async (event: DragEvent): Promise<void> => {
    event.preventDefault();
    event.stopPropagation();
    setOver(false);
    if (disabled) return;
    const files = await droppedFiles(event.dataTransfer);
    if (files.length > 0) onFiles(files);
  };
  return (
    <Row
      wrap
      align="center"
      gap="var(--space-3) var(--space-5)"
      justify="between"
      className={cx(s.zone, over && !disabled && s.over)}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => void drop(event)}
    >
      <Text as="div" shrinks tone="soft" style={{ flex: "1 1 14rem" }}>
        {children}
      </Text>
      <Row wrap gap={2}>
        <Picker label={pick} onFiles={onFiles} accept={accept} disabled={disabled} />
        {folders && <Picker label="Choose a folder" onFiles={onFiles} folder disabled={disabled} />}
      </Row>
    </Row>
  );
}

function Picker({
  label,
  onFiles,
  accept,
  folder,
  disabled,
}: {
  readonly label: string;
  readonly onFiles: (files: readonly NamedFile[]) => void;
  readonly accept?: string | undefined;
  readonly folder?: boolean;
  readonly disabled?: boolean | undefined;
}) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button disabled={disabled ?? false} onClick={() => input.current?.click()}>
        {label}
      </Button>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label={label}
        accept={accept}
        {...(folder ? { webkitdirectory: "" } : {})}
        onChange={({ target }) => {
          const files = [...(target.files ?? [])].map((file) => ({
            name: file.webkitRelativePath || file.name,
            file,
          }));
          target.value = "";
          if (files.length > 0) onFiles(files);
        }}
      />
    </>
  );
}
