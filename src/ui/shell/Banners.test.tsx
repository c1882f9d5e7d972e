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

/** What the banners say where an interrupted run left so many facts. */
async function said(pending: number): Promise<string> {
  harness = createHarness();
  await harness.app.actions.start();
  const { store } = harness.app;
  const identity = recorded("model").identity;
  const memory = {
    model: identity,
    params: SHARP,
    embedder: "",
    salts: ["s"],
    layers: [],
    sources: [],
    facts: 7,
  };
  store.setState((state) => ({
    memory: { ...state.memory, info: { ...memory, vectors: 7, pending } },
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

it("a memory with facts that wait says so, and offers to go on", async () => {
  expect(await said(0)).not.toContain("A run was interrupted");
  expect(await said(2)).toContain(
    "2 facts wait to be encoded, and words are kept until then; 7 facts are safe in the memory. Go on",
  );
});
