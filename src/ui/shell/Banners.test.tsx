/** @file The banner of an interrupted run: it stands while anything is left to be done, and says what. */

import { renderToStaticMarkup } from "react-dom/server";
import { afterEach, expect, it } from "vitest";
import { SHARP } from "../../records/params.ts";
import { createHarness, recorded, type Harness } from "../../state/testing/harness.ts";
import { AppProvider } from "../app.tsx";
import { Banners } from "./Shell.tsx";

let harness: Harness;
afterEach(() => {
  harness.close();
});

/** What the banners say where an interrupted run left so many facts and words. */
async function said(pending: number, unsealed: number): Promise<string> {
  harness = createHarness();
  await harness.app.actions.start();
  const { store } = harness.app;
  const identity = recorded("model").identity;
  const memory = { model: identity, params: SHARP, embedder: "", layers: [], sources: [], facts: 7 };
  store.setState((state) => ({
    memory: { ...state.memory, info: { ...memory, vectors: 7, pending, unsealed } },
  }));
  // On the server a store gives its first state.
  const app = { ...harness.app, store: { ...store, getInitialState: store.getState } };
  const markup = renderToStaticMarkup(
    <AppProvider app={app}>
      <Banners />
    </AppProvider>,
  );
  return markup.replace(/<[^>]+>/g, " ").replace(/\s+/g, " ");
}

it("a memory that was killed before it lost its words says so, and offers to go on", async () => {
  expect(await said(0, 0)).not.toContain("A run was interrupted");
  expect(await said(2, 0)).toContain("2 facts wait to be encoded; 7 facts are safe in the memory. Go on");
  expect(await said(0, 7)).toMatch(
    /A run was interrupted.*7 facts are safe in the memory, and the words of all of them are still to be taken out\. Go on/,
  );
  expect(await said(0, 3)).toContain("and the words of 3 of them are still");
});
