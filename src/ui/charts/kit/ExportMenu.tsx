/** @file A figure as a file: SVG and PNG of the drawing, CSV and JSON of its data. */

import type { RefObject } from "react";
import { toldOf } from "../../../lib/format.ts";
import { toCsv, toJson } from "../../../figures/csv.ts";
import type { Figure } from "../../../figures/figure.ts";
import { Button } from "../../controls/Button.tsx";
import { Menu, type MenuItem } from "../../controls/Menu.tsx";
import { toast } from "../../controls/toasts.ts";
import { saveFile } from "../../controls/saveFile.ts";
import { drawingAsPng, drawingAsSvg } from "./exportSvg.ts";

/** `drawing` holds what is drawn; while the table is shown instead, only data can be had. */
export function ExportMenu({
  figure,
  note,
  drawing,
  drawn,
}: {
  readonly figure: Figure;
  readonly note: string;
  readonly drawing: RefObject<HTMLElement | null>;
  readonly drawn: boolean;
}) {
  const captioned = { ...figure, caption: [figure.caption, note].filter(Boolean).join(" ") };
  const save = async (extension: string, type: string, make: () => BlobPart | Promise<BlobPart>) => {
    try {
      saveFile(`${figure.id}.${extension}`, await make(), type);
    } catch (error) {
      toast.failed(`The figure could not be exported: ${toldOf(error)}`);
    }
  };
  const picture = (label: string, note: string, onSelect: () => void): MenuItem => ({
    label,
    note: drawn ? note : "show the figure first",
    disabled: !drawn,
    onSelect,
  });
  return (
    <Menu
      label={`Export “${figure.title}”`}
      trigger={
        <Button look="quiet" size="s" icon="download" aria-label={`Export “${figure.title}”`}>
          Export
        </Button>
      }
      groups={[
        [
          picture(
            "SVG",
            "scales, for papers",
            () => void save("svg", "image/svg+xml", () => drawingAsSvg(drawing.current!, captioned)),
          ),
          picture(
            "PNG",
            "at twice the size",
            () => void save("png", "image/png", () => drawingAsPng(drawing.current!, captioned)),
          ),
        ],
        [
          {
            label: "CSV",
            note: "the data, for spreadsheets",
            onSelect: () => void save("csv", "text/csv", () => toCsv(figure)),
          },
          {
            label: "JSON",
            note: "the data with title, units and run",
            onSelect: () => void save("json", "application/json", () => toJson(figure)),
          },
        ],
      ]}
    />
  );
}
