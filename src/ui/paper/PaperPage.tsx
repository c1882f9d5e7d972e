/** @file The page about the paper: each of its tables and figures as published, what runs it here, and what came out. */

import { useEffect } from "react";
import { PAPER_ENTRIES } from "../../evaluate/paper.ts";
import { Disclosure } from "../controls/Disclosure.tsx";
import { useAsync } from "../controls/useAsync.ts";
import { counted } from "../format.ts";
import { PaperPart, WholeEvaluation } from "./PaperPart.tsx";
import { savedEvaluations, type SavedEvaluation } from "./savedRuns.ts";
import { Note, Stack, Text } from "../controls/layout.tsx";
import s from "./Paper.module.css";

export function PaperPage() {
  const saved = useAsync(savedEvaluations, []);
  useEffect(() => {
    scrollTo(0, 0);
  }, []);
  return (
    <Stack as="article" gap="0.9rem" className={s.page}>
      <p>
        <a href="#notebook">Back to the notebook</a>
      </p>
      <h1>The paper</h1>
      <Text as="p" measure font="serif" size="l">
        <cite>
          Residual Vector-based Reconstruction as Long-Context Recall Regardless of Context Window Size
        </cite>{" "}
        compares seven methods on four benchmarks. This page shows its tables and figures with the published
        numbers, and runs the same on the open model.
      </Text>
      <Note measure>
        Its models have 3.8 to 8 billion parameters. With the bundled model of 7.3 million, only the
        differences between methods are meaningful. Dense retrieval needs a text embedder, reranking a
        cross-encoder and LLMLingua-2 a compressor: choose them in the memorise and the benchmark cell, or on
        the command line. A page cannot measure the peak of GPU memory (figure 5); it shows the bytes that
        each method keeps of a text.
      </Note>
      {saved.status === "failed" && <Note measure>{saved.message}</Note>}
      {Object.entries(PAPER_ENTRIES).map(([name, entry]) => (
        <PaperPart key={name} name={name} entry={entry} saved={saved.value ?? []} />
      ))}
      <Saved saved={saved.value ?? []} />
    </Stack>
  );
}

function Saved({ saved }: { readonly saved: readonly SavedEvaluation[] }) {
  if (saved.length === 0) return null;
  return (
    <Stack
      as="section"
      gap="0.9rem"
      above="0.75rem"
      ruled="top"
      style={{ paddingTop: "1.75rem" }}
      aria-labelledby="saved-results"
    >
      <h2 id="saved-results">Saved results</h2>
      <Note measure>
        Recorded with the command line, on the named machines. They come with the app (docs/runs).
      </Note>
      {saved.map(({ name, run }) => (
        <Disclosure key={name} summary={`${name}: ${counted(run.samples.length, "sample")}`}>
          <WholeEvaluation run={run} />
        </Disclosure>
      ))}
    </Stack>
  );
}
