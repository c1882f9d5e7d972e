/** @file The first screen's place for questions: its answer after a deletion. */

import { renderToStaticMarkup } from "react-dom/server";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { AppState } from "../../state/core.ts";
import { createHarness, RECORDED, recorded, type Harness } from "../../state/testing/harness.ts";
import { AppProvider } from "../app.tsx";
import { TooltipProvider } from "../controls/basics.tsx";
import { Begun } from "./WayIn.tsx";

let harness: Harness;
beforeEach(async () => {
  harness = createHarness();
  await harness.app.actions.start();
});
afterEach(() => {
  harness.close();
});

function shown(change: Partial<AppState["memory"]>): string {
  const { store } = harness.app;
  store.setState(({ memory }) => ({ memory: { ...memory, ...change } }));
  // On the server a store gives its first state.
  const app = { ...harness.app, store: { ...store, getInitialState: store.getState } };
  return renderToStaticMarkup(
    <AppProvider app={app}>
      <TooltipProvider>
        <Begun />
      </TooltipProvider>
    </AppProvider>,
  );
}

it("does not show a deleted sentence as the answer, and reports the deletion", () => {
  const { best, cited } = recorded("ask").history[0]!.answer.asked[0]!;
  const { facts } = RECORDED;
  expect(shown({ facts })).toContain("<mark");
  const left = shown({ facts: facts.filter(({ id }) => id !== best!.id) });
  expect(left).not.toContain("<mark");
  expect(left).toContain(`${cited[0]!} has been deleted since.`);
});
