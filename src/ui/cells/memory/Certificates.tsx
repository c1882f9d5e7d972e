/** @file The certificates of what was deleted from this memory, newest first. */

import { useState } from "react";
import { Button } from "../../controls/Button.tsx";
import { counted } from "../../format.ts";
import type { Certificates as Made } from "./certificate.ts";
import { CertificateView } from "./CertificateView.tsx";

export function Certificates({ certificates }: { readonly certificates: Made }) {
  const [all, setAll] = useState(false);
  const [newest, ...earlier] = certificates;
  if (!newest) return null;
  return (
    <section aria-label="Deletion certificates">
      {[newest, ...(all ? earlier : [])].map((stamped) => (
        <CertificateView key={stamped.stamp.at} stamped={stamped} />
      ))}
      {earlier.length > 0 && !all && (
        <Button
          look="quiet"
          size="s"
          onClick={() => {
            setAll(true);
          }}
        >
          Show {counted(earlier.length, "earlier certificate")}
        </Button>
      )}
    </section>
  );
}
