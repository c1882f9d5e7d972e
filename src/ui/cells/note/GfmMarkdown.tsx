/** @file Markdown with tables, tasks, footnotes and bare links: fetched for notes that may have them. */

import remarkGfm from "remark-gfm";
import { SafeMarkdown } from "./SafeMarkdown.tsx";

export const GfmMarkdown = ({ text }: { readonly text: string }) => (
  <SafeMarkdown text={text} plugins={PLUGINS} />
);

const PLUGINS = [remarkGfm];
