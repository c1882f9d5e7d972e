/** @file The page from top to bottom: header, banners, the notebook, the drawer, messages. */

import { useEffect } from "react";
import { currentOf, useApp } from "../app.tsx";
import { TooltipProvider } from "../controls/basics.tsx";
import { lazily } from "../controls/lazily.tsx";
import { ANNOUNCER } from "../controls/page.ts";
import { Banners } from "./Banners.tsx";
import { Header } from "./Header.tsx";
import { usePaperOpen } from "../paper/paperHash.ts";
import { InspectorHost } from "../inspector/InspectorHost.tsx";
import { NotebookView } from "./NotebookView.tsx";
import { Row, Text } from "../controls/layout.tsx";
import s from "./Shell.module.css";

const PaperPage = lazily(async () => (await import("../paper/PaperPage.tsx")).PaperPage);
const Toasts = lazily(async () => (await import("./Toasts.tsx")).Toasts);

export function Shell() {
  useTheme();
  const opened = useApp((state) => currentOf(state) !== null);
  const paper = usePaperOpen();
  return (
    <TooltipProvider>
      <Header />
      <Row align="start" style={{ minHeight: "calc(100vh - 3.25rem)" }}>
        <Text as="main" flex="grow" shrinks className={s.main} aria-busy={!opened}>
          <Banners />
          {opened && !paper && <NotebookView />}
          {opened && paper && <PaperPage />}
        </Text>
        <InspectorHost />
      </Row>
      <div id={ANNOUNCER} role="status" aria-live="polite" className="visually-hidden" />
      <Toasts />
    </TooltipProvider>
  );
}

function useTheme(): void {
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
