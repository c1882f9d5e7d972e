import * as v from "valibot";
import { anyNumber, dictionary, text, type Infer, type Shape } from "../lib/check.ts";

export type StudyName = "capacity" | "deletion" | "forgetting" | "gates" | "steps" | "layers" | "parts";

export type Setting = number | string | boolean;
export type StudySettings = Infer<typeof studySettings>;
export const studySettings = dictionary(v.union([anyNumber, text(), v.boolean()]) as Shape<Setting>);

export interface SettingInfo {
  readonly label: string;
  readonly value: Setting;
  readonly hint: string;
  /** Words for each value that a text setting may have; with `several`, for each item of a list with commas. */
  readonly choices?: Readonly<Record<string, string>>;
  readonly several?: boolean;
}

interface StudyInfo {
  readonly title: string;
  readonly asks: string;
  readonly settings: Readonly<Record<string, SettingInfo>>;
  readonly needsText: boolean;
}

const setting = (label: string, value: Setting, hint: string): SettingInfo => ({ label, value, hint });
const PRESET_LIST: SettingInfo = {
  ...setting("Presets", "sharp, paper", "one recall of every case with each"),
  ...{ choices: { sharp: "sharp", paper: "paper" }, several: true },
};
const layer = (value: number): SettingInfo => setting("Layer", value, "the storage layer, counted from 0");
const KIND: SettingInfo = {
  ...setting("Kind of facts", "template", "each kind is a separate series"),
  choices: {
    template: "template: short, one form",
    code: "code: a short key and its number",
    sentences: "sentences: many forms",
    memory: "memory: those stored now",
  },
  several: true,
};

export const STUDY_INFO: Readonly<Record<StudyName, StudyInfo>> = {
  capacity: {
    title: "Capacity of one layer",
    asks: "Do the same facts come back exactly as ever more facts share their layer?",
    needsText: false,
    settings: {
      sizes: setting("Store sizes", "16, 32, 64, 128", "facts at the layer, ascending"),
      kinds: KIND,
      presets: PRESET_LIST,
      fixed: setting("Facts asked for", 16, "the same facts at every size; the others only fill the store"),
      layer: layer(2),
    },
  },
  deletion: {
    title: "Deletion locality",
    asks: "Are deleted facts gone, and are the others untouched?",
    needsText: false,
    settings: {
      facts: setting("Facts", 64, "stored before the deletion"),
      deleted: setting("Deleted", 8, "evenly spread over them"),
      kinds: KIND,
      presets: PRESET_LIST,
      layers: setting("Layers", "1, 2, 3", "storage layers of Eq. 2"),
      keyCentre: {
        ...setting("Key centre", "store", "a soft read needs it if keys are close together"),
        choices: { store: "store", none: "none" },
      },
    },
  },
  forgetting: {
    title: "Forgetting under attack",
    asks: "Can an attacker with the memory and the model tell a deleted sentence from one that was never stored?",
    needsText: true,
    settings: {
      deleted: setting("Deleted", 30, "facts of the text; as many others are cut out of it and never stored"),
      paraphrased: setting("Paraphrased", 4, "pairs that are asked for in 200 wordings each"),
      controls: setting("Controls", 15, "pairs on which every attack must succeed before the deletion"),
    },
  },
  gates: {
    title: "Gate sweep",
    asks: "At which θ and β does the gate open where it should, and what does the soft read then say?",
    needsText: false,
    settings: {
      facts: setting("Facts", 24, "at one layer"),
      asked: setting("Facts recalled", 8, "soft recalls per point of the grid"),
      thetas: setting("θ", "0.3, 0.45, 0.6, 0.75, 0.9", "thresholds"),
      betas: setting("β", "5, 20, 50, 100", "inverse temperatures"),
      kinds: KIND,
      layer: layer(2),
    },
  },
  steps: {
    title: "Steps schedule",
    asks: "How many guided and refinement steps does exact recall need?",
    needsText: false,
    settings: {
      schedules: setting(
        "Schedules",
        "1+0, 2+0, 4+0, 8+0, 16+0, 40+0, 1+20, 2+20, 4+20, 8+20, 16+20, 40+20",
        "guided + refinement steps; those with the same refinement make a line",
      ),
      facts: setting("Facts", 16, "encoded again for every schedule"),
      kinds: KIND,
      presets: PRESET_LIST,
      layer: layer(2),
    },
  },
  layers: {
    title: "Number of storage layers K",
    asks: "What does spreading the facts over K layers change?",
    needsText: false,
    settings: {
      counts: setting("K", "1, 2, 3, 5", "the best K layers of the probe"),
      facts: setting("Facts", 64, "assigned by Eq. 2"),
      kinds: KIND,
      presets: PRESET_LIST,
    },
  },
  parts: {
    title: "Part length",
    asks: "How long may a part be, and what does a writer spare, by exactness, steps, vectors and time?",
    needsText: true,
    settings: {
      lengths: setting(
        "Longest parts",
        "6, 8, 10, 12, 14, 16, 20, 24, 32",
        "tokens; the facts are encoded again for each",
      ),
      starts: {
        ...setting("Starts", "writer, zero", "of δ; the first is compared with the others"),
        choices: { writer: "the writer", learned: "the learned start", zero: "zero" },
        several: true,
      },
      facts: setting("Facts", 24, "of the text, evenly spread over it"),
      layers: setting("Layers", "3, 4, 5", "storage layers, taken in turns"),
    },
  },
};

/** The attacks of the study of forgetting, in its order. */
export const ATTACKS = {
  prompt: "Asking with the original prompt",
  "open-gate": "Asking with the gate forced open",
  "other-keys": "Asking with other indices and parts",
  paraphrases: "Asking in 200 other wordings",
  "soft-read": "Soft read at a low β",
  "other-residuals": "Injecting the residuals of the nearest keys",
  "gradient-search": "Gradient search from the nearest residual",
  "writers-guess": "The writer’s vector for a guess",
  "word-hashes": "Testing words against the hashes",
  "value-hash": "Testing the sentence against the hashes",
  "index-gaps": "Gaps between indices, knowing the order of the text",
  layers: "Layers that do not fit the indices",
  offsets: "Stretches of the text without a fact",
  "anchor-order": "Anchors that are not in the order of their first facts",
  cache: "Searching the encoding cache",
  classifier: "A classifier over all of these numbers",
} as const;
export type Attack = keyof typeof ATTACKS;

export const STUDY_NAMES = Object.keys(STUDY_INFO) as readonly StudyName[];

/** The settings of a cell, with the defaults of those that it does not name. */
export const settingsWithDefaults = (
  input: Readonly<{ study: StudyName; settings: StudySettings }>,
): StudySettings =>
  Object.fromEntries(
    Object.entries(STUDY_INFO[input.study].settings).map(([name, { value }]) => [
      name,
      input.settings[name] ?? value,
    ]),
  );
