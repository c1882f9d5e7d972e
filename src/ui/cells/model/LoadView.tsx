/** @file A model on its way: the whole, and every file of a download, with bytes, rate and time left. */

import { useEffect, useRef, useState } from "react";
import type { LoadProgress } from "../../../records/model.ts";
import { Disclosure } from "../../controls/Disclosure.tsx";
import { Progress } from "../../controls/Progress.tsx";
import { bytes, duration } from "../../format.ts";
import { LOAD_STAGES } from "../frame/runWords.ts";
import { Stack } from "../../controls/layout.tsx";
import s from "./ModelCell.module.css";

export function LoadView({ load }: { readonly load: LoadProgress }) {
  const { stage, done, total, files } = load;
  const counted = stage === "download" || stage === "weights";
  const rate = useRate(stage, done);
  const left =
    rate && total > done ? `, ${bytes(rate)}/s, ${duration(((total - done) / rate) * 1000)} left` : "";
  return (
    <Stack gap={3}>
      <Progress
        label={LOAD_STAGES[stage]}
        detail={counted && total > 0 ? `${bytes(done)} of ${bytes(total)}${left}` : undefined}
        done={done}
        total={total > 0 ? total : null}
      />
      {files && files.length > 1 && (
        <Disclosure summary="Each file" defaultOpen={stage === "download"}>
          <Stack gap={2} className={s.each}>
            {files.map((file) => (
              <Progress
                key={file.name}
                label={file.name}
                detail={`${bytes(file.done)} of ${bytes(file.total)}`}
                done={file.done}
                total={file.total}
              />
            ))}
          </Stack>
        </Disclosure>
      )}
    </Stack>
  );
}

/** Bytes per second over the last seconds; null until it can be told. */
function useRate(stage: string, done: number): number | null {
  const meter = useRef(createRate());
  const [rate, setRate] = useState<number | null>(null);
  useEffect(() => {
    meter.current = createRate();
    setRate(null);
  }, [stage]);
  useEffect(() => {
    setRate(meter.current(done, performance.now()));
  }, [done]);
  return rate;
}

/** Older points say nothing about now. */
const WINDOW = 8000;
/** Fewer milliseconds than this between the points give a number that jumps. */
const SHORTEST = 800;

/** A function of (amount so far, milliseconds) that gives the amount per second; null until it can be told. */
export function createRate(): (done: number, at: number) => number | null {
  let points: { readonly done: number; readonly at: number }[] = [];
  return (done, at) => {
    points = [...points.filter((point) => at - point.at <= WINDOW), { done, at }];
    const first = points[0]!;
    const milliseconds = at - first.at;
    return milliseconds < SHORTEST || done <= first.done ? null : ((done - first.done) / milliseconds) * 1000;
  };
}
