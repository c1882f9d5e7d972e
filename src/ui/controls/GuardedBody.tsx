/** @file A cell body that breaks takes nothing else with it, and can be drawn again. */

import { Component, type ReactNode } from "react";
import { Notice } from "./Badge.tsx";
import { Button } from "./Button.tsx";
import { CopyButton } from "./Button.tsx";

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
            <Button size="s" onClick={() => this.setState({ error: null })}>
              Draw it again
            </Button>
            <CopyButton label="Copy details" text={() => `${error.message}\n\n${error.stack ?? ""}`} />
          </>
        }
      >
        {error.message} Nothing is lost: the rest of the notebook works, and the cell can be exported.
      </Notice>
    );
  }
}
