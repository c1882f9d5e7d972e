/** @file The page about the paper: each of its tables and figures as published, what runs it here, and what came out. */

import { useEffect } from "react";
import { PAPER_ENTRIES } from "../../evaluate/paper.ts";
import { Disclosure } from "../controls/Disclosure.tsx";
import { useAsync } from "../controls/useAsync.ts";
import { counted } from "../format.ts";
import { PaperPart, WholeEvaluation } from "./PaperPart.tsx";
import { savedEvaluations, type SavedEvaluation } from "./savedRuns.ts";
import s from "./Paper.module.css";

export function PaperPage() {
  const saved = useAsync(savedEvaluations, []);
  useEffect(() => {
    scrollTo(0, 0);
  }, []);
  return (
    <article className={s.page}>
      <p>
        <a href="#notebook">Back to the notebook</a>
      </p>
      <h1>The paper</h1>
      <p className={s.lead}>
        <cite>
          Residual Vector-based Reconstruction as Long-Context Recall Regardless of Context Window Size
        </cite>{" "}
        compares seven methods on four benchmarks. This page shows its tables and figures with the published
        numbers, and runs the same on the open model.
      </p>
      <p className={s.soft}>
        Its models have 3.8 to 8 billion parameters. With the bundled model of 7.3 million, only the
        differences between methods are meaningful. Dense retrieval needs a text embedder, reranking a
        cross-encoder and LLMLingua-2 a compressor: choose them in the memorise and the benchmark cell, or on
        the command line. A page cannot measure the peak of GPU memory (figure 5); it shows the bytes that
        each method keeps of a text.
      </p>
      {saved.status === "failed" && <p className={s.soft}>{saved.message}</p>}
      {Object.entries(PAPER_ENTRIES).map(([name, entry]) => (
        <PaperPart key={name} name={name} entry={entry} saved={saved.value ?? []} />
      ))}
      <Saved saved={saved.value ?? []} />
    </article>
  );
}

/** All recorded evaluations in full. */
function Saved({ saved }: { readonly saved: readonly SavedEvaluation[] }) {
  if (saved.length === 0) return null;
  return (
    <section className={s.part} aria-labelledby="saved-results">
      <h2 id="saved-results">Saved results</h2>
      <p className={s.soft}>
        Recorded with the command line, on the named machines. They come with the app (docs/runs).
      </p>
      {saved.map(({ name, run }) => (
        <Disclosure key={name} summary={`${name}: ${counted(run.samples.length, "sample")}`}>
          <WholeEvaluation run={run} />
        </Disclosure>
      ))}
    </section>
  );
}
