/** @file Rows of the table of parameters: how many facts stay, and at which layers (Eq. 1 and 2). */

import { choice, number, ON_OFF, whole, type Parameter } from "./parameterKinds.ts";

export const PLAN_PARAMETERS = {
  depth: {
    stages: ["budget"],
    label: "Retention depth",
    symbol: "m̂",
    unit: "facts per anchor",
    about: "At most this many facts stay for one anchor, the latest first.",
    source: "Eq. 1",
    kind: whole(1, 100_000),
    paper: 14,
    brief: true,
  },
  depthOver: {
    stages: ["budget"],
    label: "Depth holds over",
    about:
      "Whether the facts that an anchor has stored already count against the retention depth of later texts.",
    source: "Eq. 1",
    kind: choice(
      {
        value: "run",
        label: "Each run",
        note: "a later text adds to an anchor, and nothing that is stored is given up for it",
      },
      {
        value: "memory",
        label: "The whole memory",
        note: "the oldest facts of an anchor make room for later ones (the paper)",
      },
    ),
    paper: "memory",
    sharp: "run",
    before: "run",
  },
  capacity: {
    stages: ["budget"],
    label: "Layer capacity",
    symbol: "C",
    unit: "vectors per layer",
    about:
      "Nominal limit of one storage layer; K C vectors are the most the memory takes, and a fact in parts takes several.",
    source: "Eq. 1",
    kind: whole(1, 100_000_000),
    paper: 4096,
    // A recall by the nearest key does not see how many share its layer, and a novel's fact takes three or four vectors:
    // 1.5 million words have room.
    sharp: 65_536,
    brief: true,
  },
  spareRoom: {
    stages: ["budget"],
    label: "Spare room is given on",
    about:
      "Where the layers have no room for so many facts of every anchor, anchors with fewer leave theirs to the others. The paper gives it to none, and in a very long text facts are lost though there is room.",
    source: "Eq. 1; ours",
    kind: ON_OFF,
    paper: false,
    sharp: true,
    before: false,
  },
  layers: {
    stages: ["layers"],
    label: "Storage layers",
    symbol: "K",
    unit: "layers",
    about: "Facts are dealt out over this many layers in turn (Eq. 2); a smaller model gives what it has.",
    source: "Eq. 1 and 2",
    kind: whole(1, 128),
    paper: 12,
    // 27 facts of Emma at 5, 3 and 2 of the bundled model's layers: 3,926, 2,708 and 2,113 layers run. Spare for hard tokens.
    sharp: 3,
    brief: true,
    most: true,
  },
  layersFrom: {
    stages: ["layers"],
    label: "Layers follow",
    symbol: "ι",
    about:
      "What the layers of an anchor’s facts are counted from. The place among all anchors moves with each anchor that a text gains or loses before it, and every fact behind that is encoded anew.",
    source: "Eq. 2; the anchor’s words are ours",
    kind: choice(
      {
        value: "order",
        label: "The anchor’s place",
        note: "in the order in which anchors were found (the paper)",
      },
      {
        value: "words",
        label: "The anchor’s words",
        note: "a text in which something was added keeps its other facts at their layers, and the encoding cache has them",
      },
    ),
    paper: "order",
    before: "order",
  },
  layerShare: {
    stages: ["layers"],
    label: "Least share of the best",
    about: "A layer must recall this share of what the best layer recalls in the probe; 0 asks for none.",
    source: "Ours",
    kind: number(0, 1, 0.05),
    paper: 0,
    sharp: 0.75,
    brief: true,
  },
} as const satisfies Readonly<Record<string, Parameter>>;
