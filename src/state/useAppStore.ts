/** @file The store as a React hook. */

import { useStore, type StoreApi } from "zustand";
import type { AppState } from "./types.ts";

/** A part of the state; the component is drawn again when that part is another object. */
export function useAppStore<T>(store: StoreApi<AppState>, select: (state: AppState) => T): T {
  return useStore(store, select);
}
