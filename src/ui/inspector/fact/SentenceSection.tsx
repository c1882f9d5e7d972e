/** @file The sentence in its context: from the text if it is stored, otherwise between its neighbours in memory. */

import { useMemo } from "react";
import type { FactRow } from "../../../records/notebook.ts";
import { useApp } from "../../app.tsx";
import { documentsOf } from "../../facts/words.ts";
import { Stored } from "../../facts/Recalled.tsx";
import { useStored } from "../../facts/Recalled.tsx";
import { keyText } from "../../../records/fact.ts";
import { firstValue } from "./history.ts";
import { FactButton } from "./FactButton.tsx";
import { Loading, NeedsModel } from "./Loading.tsx";
import { around } from "./order.ts";
import type { FactTools } from "./useFact.ts";
import { Stack, Text } from "../../controls/layout.tsx";
import { fill } from "../../../lib/format.ts";
import prompts from "../../../records/prompts.json";
import type { PromptTokens } from "../../../records/trace.ts";
import { cx } from "../../cx.ts";
import { count, counted } from "../../format.ts";
import { firstPartOnly } from "./history.ts";
import s from "./FactPanel.module.css";

export function SentenceSection({
  tools,
  rows,
}: {
  readonly tools: FactTools;
  readonly rows: readonly FactRow[];
}) {
  const { notebook, row } = tools;
  const info = useApp(({ memory }) => memory.info);
  const kept = useMemo(
    () => documentsOf(notebook, info).get(row.documentId)?.kept ?? false,
    [notebook, info, row.documentId],
  );
  return kept ? <Kept tools={tools} /> : <Forgotten row={row} rows={rows} />;
}

function Kept({ tools: { notebook, row } }: { readonly tools: FactTools }) {
  const { documentId: id, offset } = row;
  const stored = useStored(row);
  const original = firstValue(notebook, row) ?? stored ?? "";
  const start = Math.max(0, offset - AROUND);
  const end = offset + original.length + AROUND;
  return (
    <Loading
      ask={({ library }) => library().readText({ id, start, end })}
      inputs={[id, start, end]}
      what="Reading the text"
    >
      {(text) => {
        const parts = inContext(text, start, offset, original);
        return (
          <>
            <Text as="blockquote" tone="soft" whiteSpace="pre-line" anywhere className={s.context}>
              {parts.before}
              {parts.sentence ? <mark>{parts.sentence}</mark> : <Text tone="rubric">▸ </Text>}
              {parts.after}
            </Text>
            {original !== (row.value ?? original) && (
              <p className={s.soft}>
                The value was changed since: this is the sentence it was memorised from.
              </p>
            )}
          </>
        );
      }}
    </Loading>
  );
}

/** Neighbours shown on either side. */
const NEIGHBOURS = 2;

function Forgotten({ row, rows }: { readonly row: FactRow; readonly rows: readonly FactRow[] }) {
  const { before, after } = useMemo(() => around(rows, row, NEIGHBOURS), [rows, row]);
  const neighbour = (fact: FactRow) => (
    <li key={fact.id}>
      <FactButton id={fact.id} look="neighbour" label={`Open ${keyText(fact)}: ${fact.value ?? ""}`}>
        <Stored fact={fact} />
      </FactButton>
    </li>
  );
  return (
    <>
      <p className={s.soft}>
        The text was deleted. These are the stored sentences around it, as{" "}
        {row.value === null ? "the model recalls them" : "the routing index stores them"}:
      </p>
      <Stack as="ol" gap="0.3rem" plainList className={s.neighbours}>
        {before.map(neighbour)}
        <li aria-current="true">
          <mark>
            <Stored fact={row} />
          </mark>
        </li>
        {after.map(neighbour)}
      </Stack>
    </>
  );
}

/** Characters asked for on either side of a sentence. */
const AROUND = 320;

interface InContext {
  readonly before: string;
  /** Empty where the sentence is not found at its offset: the value was changed since. */
  readonly sentence: string;
  readonly after: string;
}

/**
 * Parts of `text`, which starts at `start` in its document and may be cut at both ends; the fact's sentence begins at
 * `offset` and read `value` when it was memorised.
 */
export function inContext(text: string, start: number, offset: number, value: string): InContext {
  const at = offset - start;
  const found = text.startsWith(value, at);
  const end = found ? at + value.length : at;
  return {
    before: fromWord(text.slice(0, at), start > 0),
    sentence: found ? value : "",
    after: toWord(text.slice(end), text.length - end >= AROUND),
  };
}

function fromWord(text: string, cut: boolean): string {
  if (!cut) return text;
  const space = text.search(/\s/);
  return space < 0 ? text : `… ${text.slice(space).trimStart()}`;
}

function toWord(text: string, cut: boolean): string {
  if (!cut) return text;
  const space = text.trimEnd().search(/\s\S*$/);
  return space < 0 ? text : `${text.slice(0, space)} …`;
}

export function PromptSection({ tools }: { readonly tools: FactTools }) {
  const { row, memory, saved, modelOpen } = tools;
  // The same words that src/memory/prompt.ts gives the model: one template for both.
  const text = <p className={s.prompt}>{fill(prompts.recall, { key: keyText(row) })}</p>;
  const note = firstPartOnly(row, "this is the prompt");
  const first = note && <p className={s.soft}>{note}</p>;
  if (saved)
    return (
      <>
        {text}
        {first}
      </>
    );
  return (
    <>
      {first}
      {!modelOpen && text}
      <NeedsModel tools={tools}>
        <Loading
          ask={({ engine }) => engine().prompt({ memory, id: row.id })}
          inputs={[memory, row.id]}
          what="Reading the prompt"
        >
          {(prompt) => <Tokens prompt={prompt} />}
        </Loading>
      </NeedsModel>
    </>
  );
}

function Tokens({ prompt: { tokens, keyPosition, valueTokens, room } }: { readonly prompt: PromptTokens }) {
  return (
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
}
