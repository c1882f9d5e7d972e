/** @file The recall prompt ρ(κ) as the model reads it: its text, and with the model open its tokens. */

import { keyText } from "../../../records/fact.ts";
import { fill } from "../../../lib/format.ts";
import prompts from "../../../records/prompts.json" with { type: "json" };
import type { PromptTokens } from "../../../records/trace.ts";
import { cx } from "../../cx.ts";
import { count, counted } from "../../format.ts";
import { Loading, NeedsModel } from "./Loading.tsx";
import { firstPartOnly } from "./partsText.ts";
import type { FactTools } from "./useFact.ts";
import s from "./FactPanel.module.css";

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
