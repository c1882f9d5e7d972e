/** @file How this cell reads the memory, where it differs from the memory's own settings. */

import { Popover } from "radix-ui";
import type { ReadParams } from "../../../records/answer.ts";
import type { ReadSettings } from "../../../records/notebook.ts";
import { Button } from "../../controls/Button.tsx";
import { NumberField } from "../../controls/Field.tsx";
import { Select } from "../../controls/Select.tsx";
import { Slider } from "../../controls/Slider.tsx";
import { changed, settingsLine } from "./readSettings.ts";
import s from "./ReadSettingsPopover.module.css";

export function ReadSettingsPopover({
  settings,
  defaults,
  onChange,
  disabled,
}: {
  readonly settings: ReadSettings | null;
  /** Of the memory. */
  readonly defaults: ReadParams;
  readonly onChange: (settings: ReadSettings | null) => void;
  readonly disabled: boolean;
}) {
  const now = { ...defaults, ...settings };
  const set = (part: ReadSettings): void => {
    onChange(changed({ ...settings, ...part }, defaults));
  };
  const line = settingsLine(settings);
  return (
    <Popover.Root>
      <Popover.Trigger asChild>
        <Button look="quiet" size="s" disabled={disabled}>
          {line === "" ? "Read settings" : line}
        </Button>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          className={s.popover}
          align="start"
          sideOffset={6}
          collisionPadding={8}
          aria-label="Read settings"
        >
          <Slider
            label={<span title="A gate opens where the best similarity is above θ">θ, gate threshold</span>}
            tone="lapis"
            value={now.theta}
            min={0}
            max={1}
            step={0.01}
            format={(value) => value.toFixed(2)}
            onChange={(theta) => {
              set({ theta });
            }}
          />
          <div className={s.pair}>
            <NumberField
              label="β, inverse temperature"
              value={now.beta}
              min={0}
              max={10000}
              onChange={(beta) => {
                set({ beta });
              }}
            />
            <Select
              label="Read"
              value={now.read}
              options={[
                { value: "top1", label: "top-1", note: "the asked fact's own residual, where its key wins" },
                {
                  value: "soft",
                  label: "soft",
                  note: "all residuals of the layer, weighted by α (the paper)",
                },
              ]}
              onChange={(read) => {
                set({ read });
              }}
            />
            <NumberField
              label="Anchors at most"
              value={now.maxAnchors}
              min={1}
              max={100}
              whole
              onChange={(maxAnchors) => {
                set({ maxAnchors });
              }}
            />
            <NumberField
              label="Facts at most"
              value={now.maxFacts}
              min={1}
              max={256}
              whole
              onChange={(maxFacts) => {
                set({ maxFacts });
              }}
            />
          </div>
          <Slider
            label={
              <span title="An anchor is routed when its score reaches this share of the best">
                Route share
              </span>
            }
            value={now.routeShare}
            min={0}
            max={1}
            step={0.05}
            format={(value) => value.toFixed(2)}
            onChange={(routeShare) => {
              set({ routeShare });
            }}
          />
          <div className={s.foot}>
            <span className={s.note}>
              {line === "" ? "As the memory was made." : `Differs from the memory: ${line}.`}
            </span>
            <Button
              look="quiet"
              size="s"
              icon="undo"
              disabled={line === ""}
              onClick={() => {
                onChange(null);
              }}
            >
              Reset
            </Button>
          </div>
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}
