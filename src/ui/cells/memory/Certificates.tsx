/** @file The certificates of what was deleted from this memory: the newest, and the earlier ones at a press. */

import { counted } from "../../format.ts";
import { FirstOf } from "../../table/FirstOf.tsx";
import type { Certificates as Made } from "./certificate.ts";
import { CertificateView } from "./CertificateView.tsx";

export function Certificates({
  certificates,
  onRemove,
}: {
  readonly certificates: Made;
  /** Takes the certificate of this moment off the notebook; absent where nothing may be changed. */
  readonly onRemove?: (at: string) => void;
}) {
  if (certificates.length === 0) return null;
  return (
    <section aria-label="Deletion certificates">
      <FirstOf
        items={certificates}
        first={1}
        more={(_, rest) => `Show ${counted(rest, "earlier certificate")}`}
      >
        {(shown) =>
          shown.map((stamped) => (
            <CertificateView
              key={stamped.stamp.at}
              stamped={stamped}
              onRemove={onRemove && (() => onRemove(stamped.stamp.at))}
            />
          ))
        }
      </FirstOf>
    </section>
  );
}
