/** @file Something that takes time: waiting with a line of progress, there, or failed with a way to ask again; code that is loaded later. */

import {
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
  type DependencyList,
  type ReactNode,
  lazy,
  Suspense,
  type ComponentType,
  Component,
} from "react";
import { toldOf } from "../../lib/format.ts";
import { useServices } from "../app.tsx";
import { Notice, Button, Row, Stack, Text, cx, CopyButton } from "./basics.tsx";
import s from "./Progress.module.css";

export type AsyncState<T> =
  /** idle: not wanted. The value may be that of earlier inputs. */
  | { readonly status: "idle" | "waiting"; readonly value: T | null; readonly message: "" }
  | { readonly status: "there"; readonly value: T; readonly message: "" }
  | { readonly status: "failed"; readonly value: null; readonly message: string };

export type Async<T> = AsyncState<T> & Readonly<{ again: () => void }>;

interface AsyncOptions {
  readonly wanted?: boolean;
  readonly delay?: number;
  /** The value of before stays until the next one is there. */
  readonly keep?: boolean;
}

/** Asks when one of `inputs` changes; the signal fires when the answer is no longer wanted. Late answers are dropped. */
export function useAsync<T>(
  ask: (signal: AbortSignal) => Promise<T>,
  inputs: DependencyList,
  { wanted = true, delay = 0, keep = false }: AsyncOptions = {},
): Async<T> {
  const [turn, setTurn] = useState(0);
  const [answer, setAnswer] = useState<AsyncAnswer<T> | null>(null);
  const now = [...inputs, turn];
  useEffect(() => {
    if (!wanted) return undefined;
    const controller = new AbortController();
    const take = (state: AsyncState<T>): void => {
      if (!controller.signal.aborted) setAnswer({ to: now, state });
    };
    const go = (): void =>
      void ask(controller.signal).then(
        (value) => take({ status: "there", value, message: "" }),
        (error: unknown) => take({ status: "failed", value: null, message: toldOf(error) }),
      );
    let timer: ReturnType<typeof setTimeout> | undefined;
    if (delay > 0) timer = setTimeout(go, delay);
    else go();
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
    // oxlint-disable-next-line react/exhaustive-deps -- `ask` is new at every drawing; `inputs` says what it depends on
  }, [...now, wanted]);
  const again = useCallback(() => setTurn((before) => before + 1), []);
  const state = stateOf(answer, now, wanted, keep);
  // oxlint-disable-next-line react/exhaustive-deps -- `state` is new at every drawing; its parts say whether it changed
  return useMemo(() => ({ ...state, again }), [state.status, state.value, state.message, again]);
}

export interface AsyncAnswer<T> {
  readonly to: DependencyList;
  readonly state: AsyncState<T>;
}

export function stateOf<T>(
  answer: AsyncAnswer<T> | null,
  inputs: DependencyList,
  wanted: boolean,
  keep: boolean,
): AsyncState<T> {
  if (wanted && answer && sameInputs(answer.to, inputs)) return answer.state;
  return {
    status: wanted ? "waiting" : "idle",
    value: keep ? (answer?.state.value ?? null) : null,
    message: "",
  };
}

const sameInputs = (a: DependencyList, b: DependencyList): boolean =>
  a.length === b.length && a.every((input, i) => Object.is(input, b[i]));

/** A function with a stable identity that calls the latest `handler`, for memoised rows and effects. */
export function useStable<Arguments extends unknown[]>(handler: (...given: Arguments) => void) {
  const latest = useRef(handler);
  useEffect(() => {
    latest.current = handler;
  });
  return useCallback((...given: Arguments) => latest.current(...given), []);
}

interface AskedProps<T> {
  readonly state: AsyncState<T> & { readonly again?: () => void };
  readonly what: string;
  readonly children?: (value: T) => ReactNode;
}

export function Asked<T>({ state, what, children = () => null }: AskedProps<T>) {
  const { status, value, message, again } = state;
  if (status === "there") return children(value);
  if (value !== null) return children(value);
  if (status === "failed") return <Failed message={message} onAgain={again} />;
  return <Progress label={what} />;
}

export function Failed(
  props: Readonly<{ message: string; title?: string; onAgain?: (() => void) | undefined }>,
) {
  const { message, title = "This did not work", onAgain } = props;
  const again = onAgain && <Button size="s" icon="retry" label="Try again" onClick={onAgain} />;
  return (
    <Notice tone="rubric" role="alert" title={title} actions={again}>
      {message}
    </Notice>
  );
}

export function Ask<T>(
  props: Omit<AskedProps<T>, "state"> & {
    readonly ask: (services: ReturnType<typeof useServices>, signal: AbortSignal) => Promise<T>;
    readonly inputs: DependencyList;
  },
) {
  const { ask, inputs, ...view } = props;
  const services = useServices();
  return <Asked state={useAsync((signal) => ask(services, signal), [services, ...inputs])} {...view} />;
}

interface ProgressProps {
  readonly label: ReactNode;
  readonly detail?: ReactNode;
  readonly done?: number;
  /** Null: unknown. */
  readonly total?: number | null;
  readonly tone?: "ink" | "rubric" | "lapis" | "verdigris";
  /** meter: how full a thing is. */
  readonly role?: "progressbar" | "meter";
}

export function Progress(props: ProgressProps) {
  const { label, detail, done = 0, total = null, tone = "ink", role = "progressbar" } = props;
  const share = total ? Math.min(1, done / total) : 0;
  const waiting = total === null;
  const [max, now] = role === "meter" ? [total!, done] : [100, Math.floor(share * 100)];
  return (
    <Stack gap="0.3rem" className={cx(s.progress, s[tone])}>
      <Row wrap align="baseline" gap="0 1rem" size="s" justify="between" style={{ minHeight: "1.4em" }}>
        <Text shrinks>{label}</Text>
        {detail !== undefined && (
          <Text tone="soft" className="num">
            {detail}
          </Text>
        )}
      </Row>
      <div
        className={s.track}
        role={role}
        aria-label={typeof label === "string" ? label : "Progress"}
        {...(waiting ? {} : { "aria-valuemin": 0, "aria-valuemax": max, "aria-valuenow": now })}
      >
        <div
          className={cx(s.bar, waiting && s.waiting)}
          style={waiting ? undefined : { scale: `${share} 1` }}
        />
      </div>
    </Stack>
  );
}

/** `height` keeps their room free until then. */
export function lazily<P extends object>(load: () => Promise<ComponentType<P>>, height = "0") {
  const Loaded = lazy(async () => ({ default: await load() })) as unknown as ComponentType<P>;
  return (props: P) => (
    <Suspense fallback={<div style={{ minHeight: height }} />}>
      <Loaded {...props} />
    </Suspense>
  );
}

interface State {
  readonly error: Error | null;
}

export class GuardedBody extends Component<{ readonly children: ReactNode }, State> {
  override state: State = { error: null };

  static getDerivedStateFromError(error: unknown): State {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (!error) return this.props.children;
    return (
      <Notice
        tone="rubric"
        role="alert"
        title="This cell could not be drawn"
        actions={
          <>
            <Button size="s" label="Draw it again" onClick={() => this.setState({ error: null })} />
            <CopyButton label="Copy details" text={() => `${error.message}\n\n${error.stack ?? ""}`} />
          </>
        }
      >
        {error.message} Nothing is lost: the rest of the notebook works, and the cell can be exported.
      </Notice>
    );
  }
}

/** Listens for an event of the window while `active`; always calls the latest `listener`. */
export function useWindowEvent<E extends Event>(name: string, listener: (event: E) => void, active = true) {
  const listen = useStable(listener) as (event: Event) => void;
  useEffect(() => {
    if (!active) return;
    addEventListener(name, listen);
    return () => removeEventListener(name, listen);
  }, [name, listen, active]);
}
