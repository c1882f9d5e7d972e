/** @file The model that a cell opened, in one sentence and a device card. */

import type { ModelReady } from "../../../records/model.ts";
import { Disclosure } from "../../controls/Disclosure.tsx";
import { bytes, count, duration } from "../../format.ts";
import { DeviceCardView } from "./DevicePanel.tsx";

export function ModelOutput({ output }: { readonly output: ModelReady }) {
  const { identity, device, files, ledger, milliseconds } = output;
  const size = files.reduce((sum, file) => sum + file.bytes, 0);
  return (
    <div>
      <p>
        <strong>{identity.name}</strong>, {identity.architecture},{" "}
        <span className="num">{identity.layers}</span> layers of width{" "}
        <span className="num">{count(identity.dModel)}</span>, window{" "}
        <span className="num">{count(identity.window)}</span> tokens
        {size > 0 && `, ${bytes(size)}`}. Ready in {duration(milliseconds)} on {device.description}.
      </p>
      <Disclosure summary="Device card">
        <DeviceCardView device={device} ledger={ledger} />
      </Disclosure>
    </div>
  );
}
