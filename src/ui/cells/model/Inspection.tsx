/** @file What a model takes, before anything is fetched: its files, their sizes, and whether it fits this machine. */

import { defaultPrecision, type Precision } from "../../../lib/precision.ts";
import type { ModelFit, ModelListing, ModelSource } from "../../../records/model.ts";
import type { ModelCell } from "../../../records/notebook.ts";
import { preflightLine } from "../../../records/preflight.ts";
import { useActions, useApp, useRun } from "../../app.tsx";
import { Badge, Notice, type Tone } from "../../controls/Badge.tsx";
import { Button } from "../../controls/Button.tsx";
import { Disclosure } from "../../controls/Disclosure.tsx";
import { Progress } from "../../controls/Progress.tsx";
import { bytes, counted, large } from "../../format.ts";
import { Stack, Text } from "../../controls/layout.tsx";
import type { Column } from "../../table/column.ts";
import { Table } from "../../table/Table.tsx";

export function Inspection({ cell }: { readonly cell: ModelCell }) {
  const inspection = useApp(({ inspections }) => inspections[cell.id]);
  const failedRun = useApp(({ runs }) => runs[cell.id]?.problem != null);
  const { inspectModel } = useActions();
  const run = useRun(cell.id);
  const { source } = cell.input;
  if (inspection?.status === "loading")
    return <Progress label="Reading model details" done={0} total={null} />;
  // Shown above already if a run failed since.
  if (inspection?.status === "failed" && failedRun) return null;
  if (inspection?.status === "failed")
    // Not repeated if a failed run shows it below.
    return run?.problem?.message === inspection.problem.message ? null : (
      <Notice
        tone="rubric"
        role="alert"
        title="Could not inspect the model"
        actions={
          <Button size="s" onClick={() => void inspectModel(cell.id)}>
            Try again
          </Button>
        }
      >
        {inspection.problem.message}
      </Notice>
    );
  const listing = inspection?.listing;
  if (listing && JSON.stringify(listing.source) === JSON.stringify(source))
    return <Listing listing={listing} chosen={cell.input.precision} />;
  if (source.kind !== "bundled") return null;
  return (
    <Disclosure
      summary="Files and fit"
      aside="it ships with the app: no download"
      onOpenChange={(open) => open && void inspectModel(cell.id)}
    >
      {null}
    </Disclosure>
  );
}

interface ListingProps {
  readonly listing: ModelListing;
  readonly chosen: Precision | undefined;
}

function Listing({ listing, chosen }: ListingProps) {
  const { files, architecture, parameters, precisions } = listing;
  const precision = chosen ?? defaultPrecision(parameters ?? 0);
  const fit = precisions.find((size) => size.precision === precision)?.fit ?? [];
  const missing = files.reduce((sum, file) => sum + file.bytes - Math.min(file.cached, file.bytes), 0);
  const size = parameters === null ? "" : `, ${large(parameters)} parameters`;
  return (
    <>
      <p>
        {architecture}
        {size}, {bytes(listing.bytes)} in {counted(files.length, "file")}
        {missing > 0 ? `; ${bytes(missing)} to download` : "; all of it is here"}.
      </p>
      <Text as="p" tone="soft">
        {preflightLine(nameOf(listing.source), precisions)}. In {precision}:
      </Text>
      <Stack as="ul" gap="0.25rem" plainList>
        {fit.map(({ backend, verdict, message }) => (
          <li key={backend}>
            <Badge tone={FIT_TONES[verdict]}>
              {backend === "webgpu" ? "WebGPU" : "wasm"}: {verdict}
            </Badge>{" "}
            <Text tone="soft">{message}</Text>
          </li>
        ))}
      </Stack>
      <Disclosure summary="Files">
        <Table caption="Files of the model" columns={FILE_COLUMNS} rows={files} />
      </Disclosure>
    </>
  );
}

const FILE_COLUMNS: readonly Column<ModelListing["files"][number]>[] = [
  { id: "name", label: "File", names: true, cell: ({ name }) => name },
  { id: "here", label: "Here", look: "soft", cell: here },
  { id: "size", label: "Size", look: "number", cell: (file) => bytes(file.bytes) },
];

function nameOf(source: ModelSource): string {
  if (source.kind === "bundled") return "The bundled model";
  return source.kind === "hub" ? source.repo.replace(/^.*\//, "") : source.name;
}

function here({ cached, bytes: whole }: { readonly cached: number; readonly bytes: number }): string {
  if (cached === 0) return "no";
  return cached >= whole ? "yes" : `${bytes(cached)} of it`;
}

const FIT_TONES: Readonly<Record<ModelFit["verdict"], Tone>> = {
  fits: "verdigris",
  tight: "ochre",
  "too big": "rubric",
  unknown: "plain",
};
