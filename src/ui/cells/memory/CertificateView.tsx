/** @file A deletion certificate: what was said before, scraped off, what is said now, and that the rest is as it was. */

import { Button } from "../../controls/Button.tsx";
import { CopyButton } from "../../controls/CopyButton.tsx";
import { Icon } from "../../controls/Icon.tsx";
import { cx } from "../../cx.ts";
import { ranOn } from "../../facts/words.ts";
import { counted, dateTime } from "../../format.ts";
import type { Column } from "../../table/column.ts";
import { Table } from "../../table/Table.tsx";
import {
  certificateJson,
  deletedKeys,
  findings,
  type DeletedKey,
  type StampedCertificate,
} from "./certificate.ts";
import { saveFile } from "../../shell/saveFile.ts";
import { fileName } from "./exportFacts.ts";
import s from "./CertificateView.module.css";

const COLUMNS: readonly Column<DeletedKey>[] = [
  { id: "key", label: "Key", names: true, cell: ({ key }) => key },
  {
    id: "before",
    label: "Recalled before",
    short: "Before",
    look: "words",
    cell: ({ before }) => <del>{before}</del>,
  },
  {
    id: "after",
    label: "Recalled after",
    short: "After",
    look: "words",
    cell: ({ after, stillSaid }) =>
      after === "" ? (
        <span className={s.nothing}>nothing</span>
      ) : (
        <span className={cx(stillSaid && s.said)}>{after}</span>
      ),
  },
  {
    id: "gate",
    label: "Gate",
    short: "Gate",
    look: "soft",
    cell: ({ gate: { before, after } }) => (
      <span className={s.gate}>
        {before !== null && <span>before: {before}</span>} <span>after: {after}</span>
      </span>
    ),
  },
];

/** Deleted keys that are told one by one in print. */
const PRINTED = 60;

export function CertificateView({
  stamped,
  onRemove,
}: {
  readonly stamped: StampedCertificate;
  /** Takes it off the notebook; absent where nothing may be changed. */
  readonly onRemove?: (() => void) | undefined;
}) {
  const keys = deletedKeys(stamped);
  const { gone, kept, cached } = findings(stamped);
  const { at } = stamped.stamp;
  const json = (): string => certificateJson(stamped);
  return (
    <article className={s.certificate} aria-label={`Deletion certificate of ${dateTime(at)}`}>
      <header className={s.header}>
        <h3 className={s.title}>Deletion certificate</h3>
        <p className={s.stamp}>
          <time dateTime={at}>{dateTime(at)}</time>
          {ranOn(stamped.stamp) && `, ${ranOn(stamped.stamp)}`}
        </p>
      </header>
      <Finding {...gone} />
      <Finding {...kept} />
      {cached && <Finding {...cached} />}
      <Table
        caption="Deleted keys"
        columns={COLUMNS}
        rows={keys}
        keyOf={({ key }) => key}
        limit={{
          first: 8,
          more: (_, rest) => `Show ${counted(rest, "more key")}`,
          print: {
            first: PRINTED,
            rest: `And ${counted(keys.length - PRINTED, "more fact")}, asked for alike.`,
          },
        }}
        stacks
        className={s.keys}
      />
      {keys.some(({ gate }) => gate.elsewhere) && (
        <p className={s.stamp}>
          Where a gate still opens, the key of another fact is near enough: the deleted key and its words are
          gone.
        </p>
      )}
      {keys.some(({ before }) => before !== "") && (
        <p className={s.stamp}>
          The memory holds the deleted words no more; this certificate does, and so do answers given before,
          until they are taken off the notebook.
        </p>
      )}
      <footer className={s.actions}>
        <Button
          look="quiet"
          size="s"
          icon="download"
          onClick={() =>
            saveFile(fileName(`deletion ${at.slice(0, 19)}`, "json"), json(), "application/json")
          }
        >
          Download JSON
        </Button>
        <CopyButton text={json} label="Copy JSON" />
        {onRemove && (
          <Button look="quiet" size="s" icon="close" onClick={onRemove}>
            Take it off
          </Button>
        )}
      </footer>
    </article>
  );
}

function Finding({ ok, text }: { readonly ok: boolean; readonly text: string }) {
  return (
    <p className={cx(s.finding, ok ? s.ok : s.bad)}>
      <Icon name={ok ? "check" : "warning"} size={15} />
      <span>{text}</span>
    </p>
  );
}
