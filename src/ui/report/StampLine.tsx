/** @file When, how long and on what an output was made, in one line. */

import type { Stamp } from "../../records/notebook.ts";
import { ranOn } from "../facts/words.ts";
import { dateTime, duration } from "../format.ts";

export function StampLine({ stamp }: { readonly stamp: Stamp }) {
  const parts = [
    dateTime(stamp.at),
    duration(stamp.milliseconds),
    ranOn(stamp),
    stamp.app && `app ${stamp.app}`,
  ];
  return <p className="stamp">{parts.filter(Boolean).join(", ")}</p>;
}
