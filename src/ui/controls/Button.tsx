/** @file Buttons, and a button that copies text. */

import { useEffect, useState, type ComponentProps, type ReactNode } from "react";
import { cx } from "../cx.ts";
import { usePrinting } from "./printing.ts";
import { Icon, type IconName } from "./Icon.tsx";
import { Tooltip } from "./Tooltip.tsx";
import { toast } from "./toasts.ts";
import s from "./Button.module.css";

export interface ButtonProps extends ComponentProps<"button"> {
  /** primary: the one thing to do next; plain: the rest; quiet: without a border; danger: takes something away. */
  readonly look?: "primary" | "plain" | "quiet" | "danger";
  readonly size?: "s" | "m";
  readonly icon?: IconName;
  readonly children?: ReactNode;
}

export function Button({
  look = "plain",
  size = "m",
  icon,
  children,
  className,
  type = "button",
  ...rest
}: ButtonProps) {
  if (usePrinting()) return null;
  return (
    <button type={type} className={cx(s.button, s[look], s[size], className)} {...rest}>
      {icon && <Icon name={icon} size={size === "s" ? 14 : 16} />}
      {children}
    </button>
  );
}

export interface IconButtonProps extends ComponentProps<"button"> {
  readonly icon: IconName;
  /** The action, as tooltip and accessible name. */
  readonly label: string;
  readonly size?: "s" | "m";
  readonly keys?: string;
}

export function IconButton({
  icon,
  label,
  size = "m",
  keys,
  className,
  type = "button",
  ...rest
}: IconButtonProps) {
  if (usePrinting()) return null;
  return (
    <Tooltip text={label} {...(keys ? { keys } : {})}>
      <button
        type={type}
        aria-label={label}
        className={cx(s.button, s.quiet, s[size], s.icon, className)}
        {...rest}
      >
        <Icon name={icon} size={size === "s" ? 14 : 16} />
      </button>
    </Tooltip>
  );
}

export function CopyButton({
  text,
  label = "Copy",
  ...rest
}: Omit<ButtonProps, "children" | "onClick"> & {
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
