/** @file The sentence in its context: from the text if it is stored, otherwise between its neighbours in memory. */

import { useMemo } from "react";
import { fill } from "../../../lib/format.ts";
import { keyText } from "../../../records/fact.ts";
import type { FactRow } from "../../../records/notebook.ts";
import prompts from "../../../records/prompts.json";
import type { PromptTokens } from "../../../records/trace.ts";
import { useApp } from "../../app.tsx";
import { Ask } from "../../controls/Asked.tsx";
import { Stack, Text } from "../../controls/layout.tsx";
import { cx } from "../../cx.ts";
import { Stored, useStored } from "../../facts/Recalled.tsx";
import { documentsOf } from "../../facts/words.ts";
import { count, counted } from "../../format.ts";
import { firstPartOnly, firstValue } from "./history.ts";
import { FactButton, NeedsModel } from "./parts.tsx";
import { around, type FactTools } from "./useFact.ts";
import s from "./FactPanel.module.css";

interface SentenceProps {
  readonly tools: FactTools;
  readonly rows: readonly FactRow[];
}

export function SentenceSection({ tools, rows }: SentenceProps) {
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
  const { documentId: id, offset, value } = row;
  const stored = useStored(row);
  const original = firstValue(notebook, row) ?? stored ?? "";
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
            {original !== (value ?? original) && (
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

function Forgotten({ tools: { row }, rows }: SentenceProps) {
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

/**
 * Parts of `text`, which starts at `start` in its document and may be cut at both ends.
 * @param offset where the sentence begins, which read `value` when it was memorised
 * @returns `sentence`: empty if it is not found at its offset
 */
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
      {/* The same words that src/memory/prompt.ts gives the model: one template for both. */}
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
