/** @file Sections of the fact panel: its sentence in context, its prompt, how questions find it, and the nearest facts. */

import { useMemo, type ReactNode } from "react";
import { fill } from "../../../lib/format.ts";
import { keyText } from "../../../records/fact.ts";
import type { FactRow } from "../../../records/notebook.ts";
import prompts from "../../../records/prompts.json";
import type { PromptTokens } from "../../../records/trace.ts";
import { useApp, useActions } from "../../app.tsx";
import { Ask } from "../../controls/useAsync.tsx";
import { Stack, Text, cx, Button } from "../../controls/basics.tsx";
import { Said, useSaid } from "../../facts/Recalled.tsx";
import { documentsOf } from "../../facts/words.ts";
import { count, counted } from "../../format.ts";
import { firstPartOnly, firstValue, around, type FactTools } from "./useFact.ts";
import type { Neighbour } from "../../../records/geometry.ts";
import type { AnchorRouting } from "../../../records/memory.ts";
import { type Column, Table } from "../../table/Table.tsx";
import type { FactId } from "../../../records/ids.ts";
import s from "./FactPanel.module.css";

export interface SectionProps {
  readonly tools: FactTools;
  readonly rows: readonly FactRow[];
}

export function SentenceSection({ tools, rows }: SectionProps) {
  const { notebook, row } = tools;
  const info = useApp(({ memory }) => memory.info);
  const documents = useMemo(() => documentsOf(notebook, info), [notebook, info]);
  return documents.get(row.documentId)?.kept ? (
    <Kept tools={tools} />
  ) : (
    <Forgotten tools={tools} rows={rows} />
  );
}

function Kept({ tools: { notebook, row } }: { readonly tools: FactTools }) {
  const { documentId: id, offset } = row;
  const said = useSaid(row.id);
  const first = firstValue(notebook, row);
  const original = first ?? said ?? "";
  const start = Math.max(0, offset - AROUND);
  const end = offset + original.length + AROUND;
  return (
    <Ask
      ask={({ library }) => library().readText({ id, start, end })}
      inputs={[id, start, end]}
      what="Reading the text"
    >
      {(text) => {
        const { before, sentence, after } = inContext(text, start, offset, original);
        return (
          <>
            <Text as="blockquote" tone="soft" whiteSpace="pre-line" anywhere className={s.context}>
              {before}
              {sentence ? <mark>{sentence}</mark> : <Text tone="rubric">▸ </Text>}
              {after}
            </Text>
            {first !== null && said !== null && first !== said && (
              <p className={s.soft}>
                The value was changed since: this is the sentence it was memorised from.
              </p>
            )}
          </>
        );
      }}
    </Ask>
  );
}

const NEIGHBOURS = 2;

function Forgotten({ tools: { row }, rows }: SectionProps) {
  const { before, after } = useMemo(() => around(rows, row, NEIGHBOURS), [rows, row]);
  return (
    <>
      <p className={s.soft}>
        The text was deleted. These are the stored sentences around it, as the model recalls them:
      </p>
      <Sentences
        facts={[...before, row, ...after]}
        current={row.id}
        labelOf={(fact) => `Open ${keyText(fact)}`}
      />
    </>
  );
}

interface SentencesProps<Fact> {
  readonly facts: readonly Fact[];
  /** The fact of the panel, which is marked; the others open. */
  readonly current: string;
  readonly labelOf?: (fact: Fact) => string;
}

const Sentences = <Fact extends Pick<FactRow, "id">>({ facts, current, labelOf }: SentencesProps<Fact>) => (
  <Stack as="ol" gap="0.3rem" plainList className={s.neighbours}>
    {facts.map((fact) => (
      <li key={fact.id} aria-current={fact.id === current ? "true" : undefined}>
        {fact.id === current ? (
          <mark>
            <Said id={fact.id} />
          </mark>
        ) : (
          <FactButton id={fact.id} look="neighbour" label={labelOf?.(fact)}>
            <Said id={fact.id} />
          </FactButton>
        )}
      </li>
    ))}
  </Stack>
);

const AROUND = 320;

/** Parts of `text`, which starts at `start` in its document; `sentence` is empty if it is not found at `offset`. */
export function inContext(text: string, start: number, offset: number, value: string) {
  const at = offset - start;
  const sentence = text.startsWith(value, at) ? value : "";
  const [before, after] = [text.slice(0, at), text.slice(at + sentence.length)];
  return {
    before: start > 0 ? before.replace(/^\S*\s+/, "… ") : before,
    sentence,
    after: after.length >= AROUND ? after.replace(/\s+\S*\s*$/, " …") : after,
  };
}

export function PromptSection({ tools }: { readonly tools: FactTools }) {
  const { row, memory, saved, modelOpen } = tools;
  const note = firstPartOnly(row, "this is the prompt");
  return (
    <>
      {note && <p className={s.soft}>{note}</p>}
      {/* The same words that src/memory/parts.ts gives the model: one template for both. */}
      {(saved || !modelOpen) && <p className={s.prompt}>{fill(prompts.recall, { key: keyText(row) })}</p>}
      {!saved && (
        <NeedsModel tools={tools}>
          <Ask
            ask={({ engine }) => engine().prompt({ memory, id: row.id })}
            inputs={[memory, row.id]}
            what="Reading the prompt"
          >
            {(prompt) => <Tokens prompt={prompt} />}
          </Ask>
        </NeedsModel>
      )}
    </>
  );
}

const Tokens = ({
  prompt: { tokens, keyPosition, valueTokens, room },
}: {
  readonly prompt: PromptTokens;
}) => (
  <>
    <p className={s.prompt}>
      {tokens.map(({ id, text }, i) => (
        <span
          key={i}
          className={cx(s.token, i === keyPosition && s.keyToken)}
          title={`token ${i}, id ${id}${i === keyPosition ? ": the key is read here" : ""}`}
        >
          {text === "" ? "∅" : text}
        </span>
      ))}
    </p>
    <p className={s.soft}>
      {counted(tokens.length, "token")}; the key is read at token {keyPosition}, in blue. The value takes{" "}
      {count(valueTokens)} more, of {count(room)} that fit the model’s window.
    </p>
  </>
);

export const RoutingSection = ({ tools: { memory, row } }: { readonly tools: FactTools }) => (
  <Ask
    ask={({ library }) => library().routing({ memory, id: row.id })}
    inputs={[memory, row]}
    what="Reading the routing index"
  >
    {(routing) =>
      routing ? (
        <Routing routing={routing} id={row.id} />
      ) : (
        <p className={s.soft}>No anchor document names it: no question can lead here.</p>
      )
    }
  </Ask>
);

const Routing = ({ routing, id }: { readonly routing: AnchorRouting; readonly id: string }) => (
  <>
    <p className={s.soft}>
      A question finds it by salted hashes of the words of its value, and by a vector of its meaning, its
      questions and its own vector if it has any.
    </p>
    <h5 className={s.subheading}>
      Document of the anchor {routing.anchor}{" "}
      <span className={s.soft}>
        {counted(routing.facts.length, "fact")}, ι = {routing.order}
      </span>
    </h5>
    <Sentences facts={routing.facts} current={id} />
  </>
);

const SHOWN = 6;

const NEIGHBOUR_COLUMNS: readonly Column<Neighbour>[] = [
  {
    id: "key",
    label: "Fact",
    cell: ({ id, key }) => (
      <FactButton id={id} look="link">
        {key}
      </FactButton>
    ),
  },
  { id: "layer", label: "Layer", look: "number", cell: ({ layer }) => layer },
  { id: "cosine", label: "Similarity", look: "number", cell: ({ cosine }) => cosine.toFixed(3) },
];

export function NearestSection({ tools }: { readonly tools: FactTools }) {
  const { memory, row } = tools;
  const table = (rows: readonly Neighbour[], by: string, heading: string) => (
    <>
      <h5 className={s.subheading}>{heading}</h5>
      <Table
        caption={`Nearest facts by ${by}`}
        rows={rows}
        columns={NEIGHBOUR_COLUMNS}
        empty={<p className={s.soft}>There is no other fact.</p>}
      />
    </>
  );
  return (
    <NeedsModel tools={tools}>
      <Ask
        ask={({ engine }) => engine().nearest({ memory, id: row.id, count: SHOWN })}
        inputs={[memory, row]}
        what="Comparing the stored vectors"
      >
        {({ byKey, byResidual }) => (
          <>
            {table(byKey, "key", "By key, at the same layer")}
            {table(byResidual, "residual", "By residual, at all layers")}
          </>
        )}
      </Ask>
    </NeedsModel>
  );
}

function NeedsModel({
  tools: { modelOpen, openModel },
  children,
}: Readonly<{ tools: FactTools; children: ReactNode }>) {
  if (modelOpen) return children;
  return (
    <p className={s.soft}>
      The model computes this. <Button size="s" label="Open the model" onClick={() => void openModel()} />
    </p>
  );
}

interface FactButtonProps {
  readonly id: FactId;
  /** link: a word in a line; neighbour: a sentence among others. */
  readonly look: "link" | "neighbour";
  readonly label?: string | undefined;
  readonly children: ReactNode;
}

function FactButton({ id, look, label, children }: FactButtonProps) {
  const { inspect } = useActions();
  const open = (): void => inspect(id);
  return (
    <button type="button" className={s[look]} aria-label={label} onClick={open}>
      {children}
    </button>
  );
}
