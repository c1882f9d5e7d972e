/** @file The notebook's title, written where it stands. */

import { currentOf, useActions, useApp, useCanWrite, useNotebook } from "../app.tsx";
import { counted, dateTime } from "../format.ts";
import { Row, Text } from "../controls/layout.tsx";
import { somethingGoes } from "../../state/going.ts";
import { Button } from "../controls/Button.tsx";
import { useGoing } from "./useGoing.ts";
import s from "./NotebookTitle.module.css";

export function NotebookTitle() {
  const { title, created } = useNotebook();
  const facts = useApp(({ memory }) => memory.info?.facts ?? 0);
  const save = useApp((state) => currentOf(state)?.save.status);
  const canWrite = useCanWrite();
  const { setTitle } = useActions();
  return (
    <header className={s.title}>
      <h1 className="visually-hidden">{title || "Untitled notebook"}</h1>
      <textarea
        className={s.input}
        aria-label="Title of the notebook"
        rows={1}
        value={title}
        placeholder="Untitled notebook"
        readOnly={!canWrite}
        onChange={({ target }) => setTitle(target.value.replaceAll("\n", " "))}
        onKeyDown={(event) => {
          if (event.key === "Enter" || event.key === "Escape") event.currentTarget.blur();
        }}
      />
      <Row wrap align="center" gap="var(--space-3) var(--space-5)" justify="between" above={3}>
        <Text as="p" tone="soft" size="s" className={s.facts}>
          Begun {dateTime(created)}
          {facts > 0 && `, ${counted(facts, "fact")} in memory`}
          <span className={s.save}>{save && SAVE_WORDS[save]}</span>
        </Text>
        <RunAll />
      </Row>
    </header>
  );
}

const SAVE_WORDS = {
  saved: "Saved in this browser",
  dirty: "Saving",
  saving: "Saving",
  never: "",
  failed: "Not saved",
  conflict: "Not saved",
} as const;

function RunAll() {
  const busy = useApp(somethingGoes);
  const canWrite = useCanWrite();
  const { runAll, cancelAll } = useActions();
  const going = useGoing();
  if (busy)
    return (
      // The second click of a double click on "Run all" is none on "Stop".
      <Button icon="stop" onClick={({ detail }) => detail < 2 && cancelAll()}>
        {going && !going.here ? `Stop “${going.notebook.title || "Untitled notebook"}”` : "Stop"}
      </Button>
    );
  return (
    <Button look="primary" icon="run" disabled={!canWrite} onClick={() => void runAll()}>
      Run all
    </Button>
  );
}
