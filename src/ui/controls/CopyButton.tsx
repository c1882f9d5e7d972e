/** @file Copies a text and says that it did. */

import { useEffect, useState } from "react";
import { Button, type ButtonProps } from "./Button.tsx";
import { toast } from "./toasts.ts";

export function CopyButton({
  text,
  label = "Copy",
  ...rest
}: Omit<ButtonProps, "children" | "onClick"> & {
  /** What is copied; made when it is asked for. */
  readonly text: () => string;
  readonly label?: string;
}) {
  const [done, setDone] = useState(false);
  useEffect(() => {
    if (!done) return;
    const timer = setTimeout(() => setDone(false), 2000);
    return () => clearTimeout(timer);
  }, [done]);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text());
      setDone(true);
    } catch {
      toast.failed("The browser did not allow copying. Select the text and copy it by hand.");
    }
  };
  return (
    <Button look="quiet" size="s" icon={done ? "check" : "copy"} {...rest} onClick={() => void copy()}>
      <span aria-live="polite">{done ? "Copied" : label}</span>
    </Button>
  );
}
