/** @file Where short messages stand; fetched when the page is first used. */

import { useEffect } from "react";
import { Toaster, toast } from "sonner";
import { toastsStand } from "../controls/page.ts";
import s from "./Shell.module.css";

export function Toasts() {
  // The Toaster listens once its own effect has run, which is before this one.
  useEffect(() => toastsStand(toast), []);
  return (
    <Toaster position="bottom-left" toastOptions={{ unstyled: true, classNames: { toast: s.toast ?? "" } }} />
  );
}
