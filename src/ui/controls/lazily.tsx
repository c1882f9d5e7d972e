/** @file Components whose code is loaded when they are first drawn, and bodies that may fail by themselves. */

import { lazy, Suspense, type ComponentType, Component, type ReactNode } from "react";
import { Notice, Button, CopyButton } from "./basics.tsx";

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
