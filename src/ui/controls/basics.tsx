/** @file The smallest parts of the page: words, rows, stacks and grids; buttons, icons, tooltips, badges and notices. */

import {
  useEffect,
  useState,
  type ComponentProps,
  type ReactNode,
  type ComponentPropsWithRef,
  type CSSProperties,
  type ElementType,
  createContext,
  useContext,
  useLayoutEffect,
  type RefObject,
} from "react";
import { toast } from "./page.ts";
import { Tooltip as Radix } from "radix-ui";
import s from "./Button.module.css";
import tip from "./Tooltip.module.css";
import badge from "./Badge.module.css";
import layoutStyle from "./layout.module.css";

/** A step of the spacing scale (`--space-1` to `--space-7`), or any CSS length. */
type Space = 1 | 2 | 3 | 4 | 5 | 6 | 7 | (string & {});
type Position = "start" | "center" | "end" | "baseline" | "between";

interface Look {
  readonly tone?: "soft" | "ink" | "rubric" | "lapis" | "verdigris" | "ochre";
  readonly size?: "s" | "m" | "l" | "xl";
  readonly font?: "serif" | "sans";
  readonly weight?: "regular" | "bold";
  readonly italic?: boolean;
  readonly numeric?: boolean;
  readonly measure?: boolean;
  readonly anywhere?: boolean;
  readonly whiteSpace?: "nowrap" | "normal" | "pre-line" | "pre-wrap";
  readonly flex?: "grow" | "fixed" | "end";
  readonly shrinks?: boolean;
  readonly above?: Space;
  readonly below?: Space;
  readonly ruled?: "top" | "bottom";
  readonly plainList?: boolean;
  readonly gap?: Space | undefined;
  readonly align?: Position;
  readonly justify?: Position;
}

type Props<T extends ElementType, More = object> = Look &
  More & { readonly as?: T } & Omit<ComponentPropsWithRef<T>, keyof Look | keyof More | "as">;

export const Note = <T extends ElementType = "p">(props: Props<T>) =>
  draw("p", null, { tone: "soft", size: "s", ...props });

export const Soft = (props: Props<"p">) => draw("p", null, { tone: "soft", ...props });

export const Text = <T extends ElementType = "span">(props: Props<T>) => draw("span", null, props);

export const Row = <T extends ElementType = "div">({
  wrap = false,
  inline = false,
  ...props
}: Props<T, { readonly wrap?: boolean; readonly inline?: boolean }>) =>
  draw(
    "div",
    cx(inline ? layoutStyle["inline-row"] : layoutStyle["row"], wrap && layoutStyle["wrap"]),
    props,
  );

export const Stack = <T extends ElementType = "div">(props: Props<T>) =>
  draw("div", layoutStyle["stack"], props);

/** Children in columns: `columns` is a value of `grid-template-columns`. */
export const Grid = <T extends ElementType = "div">({
  columns,
  ...props
}: Props<T, { readonly columns: string }>) =>
  draw("div", layoutStyle["grid"], props, { "--columns": columns });

function draw(fallback: ElementType, layout: string | null | undefined, props: object, variables = {}) {
  const {
    as: Element = fallback,
    className,
    style,
    tone,
    size,
    font,
    weight,
    whiteSpace,
    flex,
    gap,
    align,
    justify,
    italic,
    numeric,
    measure,
    anywhere,
    shrinks,
    plainList,
    above,
    below,
    ruled,
    ...rest
  } = props as Look & { as?: ElementType; className?: string; style?: CSSProperties };
  const values = {
    tone: tone && `var(--${tone === "soft" ? "ink-soft" : tone})`,
    size: size && `var(--text-${size})`,
    font: font && `var(--${font})`,
    weight: weight && (weight === "bold" ? 600 : 400),
    space: whiteSpace,
    gap: gap && length(gap),
    align,
    justify: justify === "between" ? "space-between" : justify,
  };
  const flags = { italic, numeric, measure, anywhere, shrinks, plainList };
  const names = [flex && `flex-${flex}`, ruled && `ruled-${ruled}`];
  for (const [name, isSet] of Object.entries({ ...flags, ...values })) if (isSet) names.push(name);
  const own = Object.entries(values).flatMap(([name, value]) => (value ? [[`--layout-${name}`, value]] : []));
  const margins = {
    ...(above && { marginTop: length(above) }),
    ...(below && { marginBottom: length(below) }),
  };
  return (
    <Element
      className={cx(layout, ...names.map((name) => name && layoutStyle[name]), className)}
      style={{ ...Object.fromEntries(own), ...margins, ...variables, ...style }}
      {...rest}
    />
  );
}

const length = (space: Space) => (typeof space === "number" ? `var(--space-${String(space)})` : space);

export const cx = (...names: readonly (string | false | null | undefined)[]): string =>
  names.filter(Boolean).join(" ");

export const PrintingContext = createContext(false);

export const usePrinting = (): boolean => useContext(PrintingContext);

export type Pair = readonly [name: string, value: ReactNode];

export const Pairs = ({
  of,
  className,
}: Readonly<{ of: readonly Pair[]; className?: string | undefined }>) => (
  <dl className={className}>
    {of.map(([name, value]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
);

/** Width of the content box in pixels; `first` until the element is laid out. */
export function useWidth(element: RefObject<HTMLElement | null>, first: number): number {
  const [width, setWidth] = useState(first);
  useLayoutEffect(() => {
    const watched = element.current;
    if (!watched) return;
    setWidth(watched.clientWidth);
    const observer = new ResizeObserver(() => setWidth(watched.clientWidth));
    observer.observe(watched);
    return () => observer.disconnect();
  }, [element]);
  return width;
}

interface ButtonProps extends ComponentProps<"button"> {
  /** primary: the one thing to do next; plain: the rest; quiet: without a border; danger: takes something away. */
  readonly look?: "primary" | "plain" | "quiet" | "danger";
  readonly size?: "s" | "m";
  readonly icon?: IconName;
  readonly label?: ReactNode;
}

export function Button(props: ButtonProps) {
  const { look = "plain", size = "m", icon, label, children, className, type = "button", ...rest } = props;
  return usePrinting() ? null : (
    <button type={type} className={cx(s.button, s[look], s[size], className)} {...rest}>
      {icon && <Icon name={icon} size={size === "s" ? 14 : 16} />}
      {label}
      {children}
    </button>
  );
}

interface IconButtonProps extends ButtonProps {
  readonly icon: IconName;
  readonly label: string;
  readonly keys?: string;
}

export const IconButton = ({ label, keys, className, ...rest }: IconButtonProps) =>
  usePrinting() ? null : (
    <Tooltip text={label} {...(keys ? { keys } : {})}>
      <Button look="quiet" aria-label={label} className={cx(s.icon, className)} {...rest} />
    </Tooltip>
  );

export function CopyButton({
  text,
  label = "Copy",
  ...rest
}: Omit<ButtonProps, "label" | "children" | "onClick"> & Readonly<{ text: () => string; label?: string }>) {
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

export const TooltipProvider = ({ children }: { readonly children: ReactNode }) => (
  <Radix.Provider delayDuration={450}>{children}</Radix.Provider>
);

export const Tooltip = ({
  text,
  keys,
  children,
}: Readonly<{ text: ReactNode; keys?: string; children: ReactNode }>) => (
  <Radix.Root>
    <Radix.Trigger asChild>{children}</Radix.Trigger>
    <Radix.Portal>
      <Radix.Content className={tip.tip} sideOffset={6} collisionPadding={8}>
        {text}
        {keys && <kbd className={tip.keys}>{keys}</kbd>}
      </Radix.Content>
    </Radix.Portal>
  </Radix.Root>
);

const PATHS = {
  run: "M5 3.2v9.6L12.5 8z",
  pause: "M5.5 3.5v9M10.5 3.5v9",
  stop: "M4.5 4.5h7v7h-7z",
  retry: "M12.8 8a4.8 4.8 0 1 1-1.5-3.5M11.6 2v2.7H8.9",
  undo: "M3.5 6.5h6a3.3 3.3 0 0 1 0 6.6H6M6 4 3.5 6.5 6 9",
  redo: "M12.5 6.5h-6a3.3 3.3 0 0 0 0 6.6H10M10 4l2.5 2.5L10 9",
  plus: "M8 3v10M3 8h10",
  close: "M4 4l8 8M12 4l-8 8",
  more: "M3.6 8h.01M8 8h.01M12.4 8h.01",
  up: "M8 13V3M4 7l4-4 4 4",
  down: "M8 3v10M4 9l4 4 4-4",
  chevron: "M4.5 6.5 8 10l3.5-3.5",
  right: "M6.5 4.5 10 8l-3.5 3.5",
  copy: "M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z",
  check: "M3 8.5 6.5 12 13 4.5",
  link: "M6.8 9.2l2.4-2.4M7.5 4.9l1.3-1.3a2.5 2.5 0 0 1 3.6 3.6l-1.3 1.3M8.5 11.1l-1.3 1.3a2.5 2.5 0 0 1-3.6-3.6l1.3-1.3",
  trash: "M3 4.5h10M6.2 4.5V3h3.6v1.5M4.3 4.5l.6 8.5h6.2l.6-8.5",
  edit: "M3 13l.7-3L10.5 3.2l2.3 2.3L6 12.3z",
  grip: "M6 4h.01M10 4h.01M6 8h.01M10 8h.01M6 12h.01M10 12h.01",
  sun: "M8 5.2a2.8 2.8 0 1 1 0 5.6 2.8 2.8 0 0 1 0-5.6M8 1.5V3M8 13v1.5M1.5 8H3M13 8h1.5M3.4 3.4l1 1M11.6 11.6l1 1M12.6 3.4l-1 1M4.4 11.6l-1 1",
  moon: "M13 9.6A5.4 5.4 0 0 1 6.4 3a5.4 5.4 0 1 0 6.6 6.6z",
  system: "M2.5 3.5h11v7.5h-11zM6 13.5h4",
  download: "M8 2.5v8M4.5 7.5 8 11l3.5-3.5M3 13.5h10",
  upload: "M8 11V3M4.5 6.5 8 3l3.5 3.5M3 13.5h10",
  search: "M7 2.8a4.2 4.2 0 1 1 0 8.4 4.2 4.2 0 0 1 0-8.4M10.2 10.2 13.5 13.5",
  info: "M8 2a6 6 0 1 1 0 12A6 6 0 0 1 8 2M8 7.3v3.5M8 5.2h.01",
  warning: "M8 2.5 14.2 13H1.8zM8 6.5v3M8 11.2h.01",
  lock: "M4 7.2h8v6H4zM5.7 7.2V5.3a2.3 2.3 0 0 1 4.6 0v1.9",
  book: "M8 4.2C6.5 3 4.3 2.8 2.5 3.2v9.3c1.8-.4 4-.2 5.5 1 1.5-1.2 3.7-1.4 5.5-1V3.2C11.7 2.8 9.5 3 8 4.2zM8 4.2v9.3",
  keyboard: "M1.8 4.5h12.4v7.5H1.8zM4.3 7h.01M6.8 7h.01M9.3 7h.01M11.8 7h.01M5 9.6h6",
  panel: "M2 3.5h12v9H2zM9.8 3.5v9",
  file: "M4 2h5l3.2 3.2V14H4zM9 2v3.2h3.2",
  folder: "M2 4h4.2l1.3 1.6H14V12.5H2z",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name, size = 16 }: { readonly name: IconName; readonly size?: number }) {
  const filled = name === "run" || name === "stop";
  const dotted = name === "more" || name === "grip";
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill={filled ? "currentColor" : "none"}
      stroke="currentColor"
      strokeWidth={dotted ? 2 : 1.25}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}

export type Tone = "plain" | "rubric" | "lapis" | "verdigris" | "ochre";

export const Badge = ({
  tone = "plain",
  icon,
  children,
}: Readonly<{ tone?: Tone; icon?: IconName; children: ReactNode }>) => (
  <Row
    as="span"
    align="center"
    gap="0.3rem"
    size="s"
    whiteSpace="nowrap"
    inline
    className={badge[tone]}
    style={{ color: "var(--tone-ink, var(--ink-soft))" }}
  >
    {icon && <Icon name={icon} size={13} />}
    {children}
  </Row>
);

interface NoticeProps {
  readonly tone?: Tone;
  readonly title?: ReactNode;
  readonly children?: ReactNode;
  readonly actions?: ReactNode;
  /** "alert" where something just failed. */
  readonly role?: "alert" | "status";
}

/** A sentence that must not be missed: an error, a reason and what to do; buttons at its end. */
export const Notice = ({ tone = "ochre", title, children, actions, role }: NoticeProps) => (
  <Row
    wrap
    align="center"
    gap="0.5rem 1rem"
    justify="between"
    className={cx(badge.notice, badge[tone])}
    role={role}
  >
    <div className={badge.words}>
      {title && <strong>{title}</strong>}
      {children}
    </div>
    {actions && (
      <Row wrap gap="0.5rem">
        {actions}
      </Row>
    )}
  </Row>
);
