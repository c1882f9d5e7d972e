/** @file The search field of the reader: Enter goes to the next hit, Shift and Enter back, Escape clears. */

import { IconButton } from "../../../controls/Button.tsx";
import { TextField } from "../../../controls/Field.tsx";
import { count, counted } from "../../../format.ts";
import type { Search } from "./useSearch.ts";
import { Row, Text } from "../../../controls/layout.tsx";
import s from "./Reader.module.css";

export function SearchBar({ search }: { readonly search: Search }) {
  const { query, setQuery, hits, step } = search;
  const none = hits.length === 0;
  return (
    <Row align="center" gap={1} shrinks className={s.search} role="search">
      <TextField
        label="Search in the text"
        hideLabel
        type="search"
        placeholder="Search in the text"
        value={query}
        onChange={setQuery}
        onKeyDown={(event) => {
          if (event.key === "Enter" && !none) step(event.shiftKey ? -1 : 1);
          else if (event.key === "Escape" && query) setQuery("");
          else return;
          event.preventDefault();
          event.stopPropagation();
        }}
      />
      <IconButton icon="up" size="s" label="Previous hit" disabled={none} onClick={() => step(-1)} />
      <IconButton icon="down" size="s" label="Next hit" disabled={none} onClick={() => step(1)} />
      <Text tone="soft" size="s" whiteSpace="nowrap" className={s.found} role="status">
        {foundText(search)}
      </Text>
    </Row>
  );
}

/** What the search found so far, e.g. "3 of 120 hits". */
export function foundText({ status, hits, current, full }: Search): string {
  if (status === "idle") return "";
  if (status === "failed") return "The text could not be read.";
  if (hits.length === 0) return status === "searching" ? "Searching…" : "Not in the text.";
  const all = `${counted(hits.length, "hit")}${full ? " or more" : ""}`;
  return current === null ? `${all}…` : `${count(current + 1)} of ${all}`;
}
