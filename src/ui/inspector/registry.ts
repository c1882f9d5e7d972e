/** @file Kind of thing -> the panel that shows it in the drawer; `actions.inspect(target)` opens it. */

import { lazy, type ComponentType } from "react";
import type { InspectorTarget } from "../../state/types.ts";
import { FactNav } from "./fact/FactNav.tsx";

type Kind = InspectorTarget["kind"];
type Draws<K extends Kind> = ComponentType<{ readonly target: Extract<InspectorTarget, { kind: K }> }>;

export interface PanelType<K extends Kind> {
  readonly title: string;
  readonly Panel: Draws<K>;
  /** Stands in the drawer's head. */
  readonly Tools?: Draws<K>;
}

/** The panel of any kind, given its target. */
export type AnyPanel = ComponentType<{ readonly target: InspectorTarget }>;

export const PANELS: { readonly [K in Kind]?: PanelType<K> } = {
  device: {
    title: "Device",
    Panel: lazy(() =>
      import("../cells/model/DevicePanel.tsx").then(({ DevicePanel }) => ({ default: DevicePanel })),
    ),
  },
  fact: {
    title: "Fact",
    Panel: lazy(() => import("./fact/FactPanel.tsx").then(({ FactPanel }) => ({ default: FactPanel }))),
    Tools: FactNav,
  },
};
