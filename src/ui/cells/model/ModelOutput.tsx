/** @file The model that a cell opened, in one sentence and a device card. */

import { precisionOf } from "../../../records/memory.ts";
import type { CopyReport, ModelReady } from "../../../records/model.ts";
import { Disclosure } from "../../controls/Disclosure.tsx";
import { Badge } from "../../controls/Badge.tsx";
import { bytes, count, counted, duration } from "../../format.ts";
import { DeviceCardView, VERDICT_TONES } from "./DevicePanel.tsx";
import { Text } from "../../controls/layout.tsx";
import s from "./ModelCell.module.css";

export function ModelOutput({ output }: { readonly output: ModelReady }) {
  const { identity, device, files, ledger, milliseconds, copy, decoding } = output;
  const size = files.reduce((sum, file) => sum + file.bytes, 0);
  return (
    <div className={s.output}>
      <p className="remembered">
        <strong>{identity.name}</strong>, {counted(identity.layers, "layer")} of width{" "}
        {count(identity.dModel)} in {precisionOf(identity)}, reads {counted(identity.window, "token")} at once
        {size > 0 && `, ${bytes(size)}`}. Ready in {duration(milliseconds)} on {device.description}.
      </p>
      {copy && (
        <Text as="p" tone="soft">
          {copyLine(copy, precisionOf(identity))}
        </Text>
      )}
      <Disclosure
        summary="Device card"
        aside={
          <Badge tone={VERDICT_TONES[device.selfTest.verdict]}>
            {device.backend}, self-test {device.selfTest.verdict}
          </Badge>
        }
      >
        <DeviceCardView device={device} ledger={ledger} decoding={decoding} />
      </Disclosure>
    </div>
  );
}

/** E.g. "Read from the copy in q8 that this browser keeps, 660 MB." */
export function copyLine({ from, bytes: size, problem }: CopyReport, precision: string): string {
  if (problem !== null)
    return `No copy in ${precision} is kept (${problem}): the next start reads and rounds the files again.`;
  if (from === "copy") return `Read from the copy in ${precision} that this browser keeps, ${bytes(size)}.`;
  const why = from === "files" ? "" : "The copy that was here was damaged. ";
  return `${why}A copy in ${precision} is kept, ${bytes(size)}: the next start reads that alone.`;
}
