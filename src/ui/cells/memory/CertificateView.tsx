/** @file A deletion certificate: what was said before, scraped off, what is said now, and that the rest is as it was. */

import { Button, CopyButton } from "../../controls/Button.tsx";
import { Icon } from "../../controls/Icon.tsx";
import { Row, Stack, Text } from "../../controls/layout.tsx";
import { saveFile } from "../../controls/saveFile.ts";
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
        <Text font="sans" italic>
          nothing
        </Text>
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

const PRINTED = 60;

interface CertificateProps {
  readonly stamped: StampedCertificate;
  readonly onRemove?: (() => void) | undefined;
}

export function CertificateView({ stamped, onRemove }: CertificateProps) {
  const keys = deletedKeys(stamped);
  const { at } = stamped.stamp;
  const ran = ranOn(stamped.stamp);
  const json = (): string => certificateJson(stamped);
  const download = (): void =>
    saveFile(fileName(`deletion ${at.slice(0, 19)}`, "json"), json(), "application/json");
  return (
    <Stack
      as="article"
      gap="0.35rem"
      className={s.certificate}
      aria-label={`Deletion certificate of ${dateTime(at)}`}
    >
      <Row as="header" wrap align="baseline" gap="0 1rem" justify="between">
        <Text as="h3" font="serif" size="l" weight="bold">
          Deletion certificate
        </Text>
        <Text as="p" tone="soft" size="s">
          <time dateTime={at}>{dateTime(at)}</time>
          {ran && `, ${ran}`}
        </Text>
      </Row>
      {findings(stamped).map(({ ok, text }) => (
        <Row as="p" key={text} align="baseline" gap="0.45rem" className={cx(s.finding, ok ? s.ok : s.bad)}>
          <Icon name={ok ? "check" : "warning"} size={15} />
          <span>{text}</span>
        </Row>
      ))}
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
        <Text as="p" tone="soft" size="s">
          Where a gate still opens, the key of another fact is near enough: the deleted key and its words are
          gone.
        </Text>
      )}
      {keys.some(({ before }) => before !== "") && (
        <Text as="p" tone="soft" size="s">
          The memory holds the deleted words no more; this certificate does, and so do answers given before,
          until they are taken off the notebook.
        </Text>
      )}
      <Row as="footer" wrap gap="0.25rem" style={{ marginLeft: "-0.55rem" }}>
        <Button look="quiet" size="s" icon="download" onClick={download}>
          Download JSON
        </Button>
        <CopyButton text={json} label="Copy JSON" />
        {onRemove && (
          <Button look="quiet" size="s" icon="close" onClick={onRemove}>
            Take it off
          </Button>
        )}
      </Row>
    </Stack>
  );
}
