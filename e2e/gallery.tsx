/**
 * @file Every figure of the app, drawn from the runs in docs/runs; for development and tests alone. ?theme=dark, ?only=ID for a
 * single section, and ?data=one-fact (or alike, all-exact, none-exact) for hardly anything to draw.
 * ?big draws the store-wide figures from 50,000 made facts and says how long it took.
 */

import { Tooltip } from "radix-ui";
import { createRoot } from "react-dom/client";
import "../src/ui/theme.css";
import "../src/ui/base.css";
import { Big } from "./gallery/Big.tsx";
import { SECTIONS } from "./gallery/sections.tsx";
import s from "./gallery/Gallery.module.css";

const query = new URLSearchParams(location.search);
document.documentElement.dataset["theme"] = query.get("theme") ?? "light";
const only = query.get("only");

createRoot(document.getElementById("gallery")!).render(
  query.has("big") ? (
    <Tooltip.Provider>
      <Big />
    </Tooltip.Provider>
  ) : (
    <Tooltip.Provider>
      <div className={s.gallery}>
        <h1>Figures</h1>
        {SECTIONS.filter(({ id }) => only === null || id === only).map(({ id, figures }) => (
          <section key={id} id={id} aria-label={id}>
            <h2>{id.replace(/^./, (first) => first.toUpperCase())}</h2>
            <div className={s.figures}>{figures()}</div>
          </section>
        ))}
      </div>
    </Tooltip.Provider>
  ),
);
