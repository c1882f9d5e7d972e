/** @file A deletion certificate: what was said before, scraped off, what is said now, and that the rest is as it was. */

import { useState } from "react";
import { Button } from "../../controls/Button.tsx";
import { CopyButton } from "../../controls/CopyButton.tsx";
import { Icon } from "../../controls/Icon.tsx";
import { cx } from "../../cx.ts";
import { ranOn } from "../../facts/words.ts";
import { counted, dateTime } from "../../format.ts";
import { certificateJson, deletedKeys, findings, type StampedCertificate } from "./certificate.ts";
import { download } from "./download.ts";
import { fileName } from "./exportFacts.ts";
import s from "./CertificateView.module.css";

/** Deleted keys shown before "and 40 more". */
const SHOWN = 8;

export function CertificateView({ stamped }: { readonly stamped: StampedCertificate }) {
  const [all, setAll] = useState(false);
  const keys = deletedKeys(stamped);
  const { gone, kept } = findings(stamped);
  const { at } = stamped.stamp;
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
      <table className={s.keys}>
        <thead>
          <tr>
            <th scope="col">Key</th>
            <th scope="col">Recalled before</th>
            <th scope="col">Recalled after</th>
            <th scope="col">Gate</th>
          </tr>
        </thead>
        <tbody>
          {(all ? keys : keys.slice(0, SHOWN)).map(({ key, before, after, gate, stillSaid }) => (
            <tr key={key}>
              <th scope="row">{key}</th>
              <td className={s.before} data-label="Before">
                <del>{before}</del>
              </td>
              <td className={cx(s.after, stillSaid && s.said)} data-label="After">
                {after === "" ? <span className={s.nothing}>nothing</span> : after}
              </td>
              <td className={s.gate} data-label="Gate">
                {gate.before !== null && <span>before: {gate.before}</span>} <span>after: {gate.after}</span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {keys.some(({ gate }) => gate.elsewhere) && (
        <p className={s.stamp}>
          Where a gate still opens, the key of another fact is near enough: the deleted key and its words are
          gone.
        </p>
      )}
      <footer className={s.actions}>
        {keys.length > SHOWN && !all && (
          <Button
            look="quiet"
            size="s"
            onClick={() => {
              setAll(true);
            }}
          >
            Show {counted(keys.length - SHOWN, "more key")}
          </Button>
        )}
        <Button
          look="quiet"
          size="s"
          icon="download"
          onClick={() => {
            download(
              fileName(`deletion ${at.slice(0, 19)}`, "json"),
              certificateJson(stamped),
              "application/json",
            );
          }}
        >
          Download JSON
        </Button>
        <CopyButton text={() => certificateJson(stamped)} label="Copy JSON" />
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
