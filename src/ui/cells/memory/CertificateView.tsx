/** @file A deletion certificate: recall of the deleted facts before and after, and the comparison of the other facts. */

import { Button, CopyButton, Icon, Row, Stack, Text, cx, Note, usePrinting } from "../../controls/basics.tsx";
import { fileName, saveFile } from "../../controls/page.ts";
import { Stamped } from "../../facts/Recalled.tsx";
import { counted, dateTime, count } from "../../format.ts";
import { type Column, Table } from "../../table/Table.tsx";
import type { StoreCell } from "../../../records/notebook.ts";
import type { CertifiedRead, DeletionCertificate } from "../../../records/answer.ts";
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
    label: "Model output without the vector",
    short: "After, without the vector",
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

export function CertificateView({
  stamped,
  onRemove,
}: Readonly<{ stamped: StampedCertificate; onRemove?: (() => void) | undefined }>) {
  const keys = deletedKeys(stamped);
  const { at } = stamped.stamp;
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
        <Note>
          <Stamped {...stamped.stamp} />
        </Note>
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
          more: "more key",
          print: {
            first: PRINTED,
            rest: `And ${counted(keys.length - PRINTED, "more fact")}, asked for alike.`,
          },
        }}
        stacks
        className={s.keys}
      />
      {keys.some(({ gate }) => gate.elsewhere) && (
        <Note>
          Where a gate still opens, the key of another fact is near enough: the deleted key and its words are
          gone.
        </Note>
      )}
      <Note>
        The memory still has the hash of its text. A person who has all the rest of that text can test a
        sentence for the missing place.
      </Note>
      {keys.some(({ before }) => before !== "") && (
        <Note>
          The memory holds the deleted words no more; this certificate does, and so do answers given before,
          until they are taken off the notebook.
        </Note>
      )}
      {!usePrinting() && (
        <Row as="footer" wrap gap="0.25rem" style={{ marginLeft: "-0.55rem" }}>
          <Button look="quiet" size="s" icon="download" label="Download JSON" onClick={download} />
          <CopyButton text={json} label="Copy JSON" />
          {onRemove && (
            <Button look="quiet" size="s" icon="close" label="Remove the certificate" onClick={onRemove} />
          )}
        </Row>
      )}
    </Stack>
  );
}

export type Certificates = NonNullable<StoreCell["output"]>["certificates"];
export type StampedCertificate = Certificates[number];

type DeletedKey = ReturnType<typeof deletedKeys>[number];

export const deletedKeys = ({ certificate: { before, after } }: StampedCertificate) =>
  before.map(({ key, text, read }, i) => {
    const said = after[i];
    // It can only open on the key of another fact.
    const elsewhere = said?.gateOpen ?? false;
    const plain = elsewhere ? "opens on the key of another fact" : "closed";
    return {
      ...{ key, before: text, after: said?.text ?? "", stillSaid: said?.text === text },
      gate: {
        before: read ? readText(read) : null,
        after: said?.read ? readText(said.read) : plain,
        elsewhere,
      },
    };
  });

function readText({ similarity, gateOpen, nearest, own }: CertifiedRead): string {
  if (nearest === null) return "closed, no key is left at its layer";
  const at = similarity < 1 && similarity >= 0.9995 ? "above 0.999" : `at ${similarity.toFixed(3)}`;
  if (!gateOpen) return `closed ${at}`;
  return own ? `open ${at}` : `opens on “${nearest}” ${at}`;
}

interface Finding {
  readonly ok: boolean;
  readonly text: string;
}

export function findings(stamped: StampedCertificate): readonly Finding[] {
  const keys = deletedKeys(stamped);
  const { compared, retained, changed, cached, moved = 0, gaps = 0, roots } = stamped.certificate;
  const said = keys.filter(({ stillSaid }) => stillSaid).length;
  const one = keys.length === 1;
  const still = one ? "it is" : `${count(said)} ${said === 1 ? "is" : "are"}`;
  const gone =
    said > 0
      ? `${still} still said. The frozen model knows that much without the memory.`
      : `${one ? "it is no longer" : "none is still"} recalled.`;
  const others =
    retained > compared
      ? `${count(compared)} of ${counted(retained, "other fact")}, evenly spread,`
      : counted(compared, "other fact");
  const difference = changed === 0 ? "not one token differs." : `${count(changed)} changed.`;
  const kept =
    compared === 0
      ? "Nothing else was stored, so there was nothing to compare."
      : `${others} recalled before and after: ${difference}`;
  const found: Finding[] = [
    { ok: said === 0, text: `${counted(keys.length, "deleted fact")} asked for before and after: ${gone}` },
    { ok: changed === 0, text: kept },
  ];
  if (cached) found.push(inCache(cached));
  if (moved > 0)
    found.push({
      ok: true,
      text: `${counted(moved, "other fact")} of the same anchors got smaller numbers: no gap shows where a fact was.`,
    });
  if (gaps > 0)
    found.push({
      ok: false,
      text: `${counted(gaps, "other fact")} kept ${gaps === 1 ? "its number" : "their numbers"}: a gap shows that a fact of the same anchor is missing.`,
    });
  if (roots?.before && roots.after)
    found.push({
      ok: true,
      text: `The Merkle root of the memory went from ${roots.before.slice(0, 12)}… to ${roots.after.slice(0, 12)}…. The memory keeps this record without words.`,
    });
  return found;
}

function inCache({ removed, left }: NonNullable<DeletionCertificate["cached"]>): Finding {
  const rows = removed === 0 ? "Nothing" : counted(removed, "row");
  const found = left === 0 ? "finds nothing" : `still finds ${counted(left, "trace")}`;
  const text = `${rows} had to be removed from the encoding cache: a search of it for their sentences, recall prompts and vectors ${found}.`;
  return { ok: left === 0, text };
}

export function certificateJson({ stamp, certificate }: StampedCertificate): string {
  const { at, milliseconds, model, backend, app } = stamp;
  const run = { at, milliseconds, model, backend, app };
  const body = { format: "palimpsest-deletion-certificate", version: 1, ...run, ...certificate };
  return `${JSON.stringify(body, null, 2)}\n`;
}
