/** @file Light, dark, or as the system has it. public/theme.js does the same before the first paint. */

import type { Theme } from "./types.ts";
import { set, type Core } from "./core.ts";

const KEY = "palimpsest.theme";

export function readTheme(settings: Pick<Storage, "getItem"> | null): Theme {
  const saved = settings?.getItem(KEY);
  return saved === "light" || saved === "dark" ? saved : "system";
}

export function setTheme(core: Core, theme: Theme): void {
  core.deps.settings?.setItem(KEY, theme);
  set(core, { theme });
}
