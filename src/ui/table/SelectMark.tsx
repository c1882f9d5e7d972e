/** @file The drawn box of a row or of all rows; what it says is said by its row or its button. */

import s from "./Grid.module.css";

export function SelectMark({ state }: { readonly state: "none" | "some" | "all" }) {
  return (
    <svg width="15" height="15" viewBox="0 0 15 15" aria-hidden="true" className={s.mark} data-state={state}>
      <rect x="1" y="1" width="13" height="13" rx="2" />
      {state === "all" && <path d="M4 7.8 6.6 10.4 11.2 4.8" />}
      {state === "some" && <path d="M4 7.5h7" />}
    </svg>
  );
}
