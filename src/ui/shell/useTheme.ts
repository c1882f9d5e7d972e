/** @file Puts the theme on the page and follows the system's while nothing else is chosen. */

import { useEffect } from "react";
import { useApp } from "../app.tsx";

export function useTheme(): void {
  const theme = useApp((state) => state.theme);
  useEffect(() => {
    const system = matchMedia("(prefers-color-scheme: dark)");
    const show = (): void => {
      const dark = theme === "system" ? system.matches : theme === "dark";
      document.documentElement.dataset["theme"] = dark ? "dark" : "light";
      const paper = getComputedStyle(document.documentElement).getPropertyValue("--paper").trim();
      document.querySelector('meta[name="theme-color"]')?.setAttribute("content", paper);
    };
    show();
    system.addEventListener("change", show);
    return () => system.removeEventListener("change", show);
  }, [theme]);
}
