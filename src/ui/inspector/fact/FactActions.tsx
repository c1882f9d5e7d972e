/** @file What can be done with a fact, in one line. */

import { useActions } from "../../app.tsx";
import { showUndo } from "../../cells/memory/UndoNotice.tsx";
import { openSentence } from "../../cells/source/openSentence.ts";
import { Button } from "../../controls/Button.tsx";
import { CopyButton } from "../../controls/CopyButton.tsx";
import { toast } from "../../controls/toasts.ts";
import { keyText } from "../../../records/fact.ts";
import { factHash } from "./factLink.ts";
import { stepped } from "./order.ts";
import { useFactOrder, type FactTools } from "./useFact.ts";
import { Row } from "../../controls/layout.tsx";
import s from "./FactPanel.module.css";

export function FactActions({
  tools: { row, notebook, storeId, readOnly },
  editing,
  onEdit,
}: {
  readonly tools: FactTools;
  readonly editing: boolean;
  readonly onEdit: () => void;
}) {
  const actions = useActions();
  const ids = useFactOrder(row.id);
  const remove = (): void => {
    if (!storeId) return;
    const next = stepped(ids, row.id, 1) ?? stepped(ids, row.id, -1);
    showUndo(keyText(row), actions.deleteFacts(storeId, [row.id]));
    actions.inspect(next && { kind: "fact", id: next });
  };
  const noDelete =
    readOnly ?? (storeId ? null : "Add a memory cell first: the certificate of a deletion stands there.");
  return (
    <Row wrap gap="0.5rem" className={s.actions}>
      <Button size="s" icon="edit" aria-expanded={editing} disabled={readOnly !== null} onClick={onEdit}>
        Edit or move
      </Button>
      <Button
        size="s"
        icon="book"
        onClick={() => {
          if (!openSentence(row.documentId, row.offset))
            toast.said("No source cell of this notebook lists this document.");
        }}
      >
        Show in the text
      </Button>
      <CopyButton label="Copy link" icon="link" text={() => linkTo(notebook.id, row.id)} />
      <Button size="s" look="danger" icon="trash" disabled={noDelete !== null} onClick={remove}>
        Delete
      </Button>
      {noDelete !== null && <p className={s.soft}>{noDelete}</p>}
    </Row>
  );
}

/** The address of a fact: it opens in this browser, where the notebook is. */
function linkTo(notebook: string, id: Parameters<typeof factHash>[0]): string {
  const url = new URL(location.href);
  url.search = `?notebook=${encodeURIComponent(notebook)}`;
  url.hash = factHash(id);
  return url.href;
}
