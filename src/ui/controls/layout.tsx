/** @file Layout primitives: `Text` for words, `Row`, `Stack` and `Grid` for their arrangement, and whether they are printed. */

import {
  type ComponentPropsWithRef,
  type CSSProperties,
  type ElementType,
  createContext,
  useContext,
  type ReactNode,
  useLayoutEffect,
  useState,
  type RefObject,
} from "react";
import s from "./layout.module.css";

/** A step of the spacing scale (`--space-1` to `--space-7`), or any CSS length. */
type Space = 1 | 2 | 3 | 4 | 5 | 6 | 7 | (string & {});
type Position = "start" | "center" | "end" | "baseline" | "between";

interface Look {
  readonly tone?: "soft" | "ink" | "rubric" | "lapis" | "verdigris" | "ochre";
  readonly size?: "s" | "m" | "l" | "xl";
  readonly font?: "serif" | "sans" | "mono";
  readonly weight?: "regular" | "bold";
  readonly italic?: boolean;
  readonly numeric?: boolean;
  /** At most as wide as a line that reads well. */
  readonly measure?: boolean;
  readonly anywhere?: boolean;
  readonly whiteSpace?: "nowrap" | "normal" | "pre-line" | "pre-wrap";
  readonly flex?: "grow" | "fixed" | "end";
  readonly shrinks?: boolean;
  readonly above?: Space;
  readonly below?: Space;
  readonly ruled?: "top" | "bottom";
  /** A list without bullets and indent. */
  readonly plainList?: boolean;
  readonly gap?: Space | undefined;
  /** Along the cross axis of a row, the block axis of a stack. */
  readonly align?: Position;
  readonly justify?: Position;
}

type Props<T extends ElementType, More = object> = Look &
  More & { readonly as?: T } & Omit<ComponentPropsWithRef<T>, keyof Look | keyof More | "as">;

/** A paragraph of less important words. */
export const Note = (props: Omit<Props<"p">, "as" | "tone" | "size">) => (
  <Text as="p" tone="soft" size="s" {...props} />
);

export const Text = <T extends ElementType = "span">(props: Props<T>) => draw("span", null, props);

export const Row = <T extends ElementType = "div">({
  wrap = false,
  inline = false,
  ...props
}: Props<T, { readonly wrap?: boolean; readonly inline?: boolean }>) =>
  draw("div", cx(inline ? s["inline-row"] : s["row"], wrap && s["wrap"]), props);

/** Children below each other, never wider than the stack. */
export const Stack = <T extends ElementType = "div">(props: Props<T>) => draw("div", s["stack"], props);

/** Children in columns: `columns` is a value of `grid-template-columns`. */
export const Grid = <T extends ElementType = "div">({
  columns,
  ...props
}: Props<T, { readonly columns: string }>) => draw("div", s["grid"], props, { "--columns": columns });

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
      className={cx(layout, ...names.map((name) => name && s[name]), className)}
      style={{ ...Object.fromEntries(own), ...margins, ...variables, ...style }}
      {...rest}
    />
  );
}

const length = (space: Space): string =>
  typeof space === "number" ? `var(--space-${String(space)})` : space;

export const cx = (...names: readonly (string | false | null | undefined)[]): string =>
  names.filter(Boolean).join(" ");

export const PrintingContext = createContext(false);

export const usePrinting = (): boolean => useContext(PrintingContext);

export type Pair = readonly [name: string, value: ReactNode];

export function Pairs({ of, className }: Readonly<{ of: readonly Pair[]; className?: string | undefined }>) {
  return (
    <dl className={className}>
      {of.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

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
