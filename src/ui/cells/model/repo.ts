/** @file Names of Hugging Face repositories as people type them. */

const REPO = /^[\w.-]{1,96}\/[\w.-]{1,96}$/;

/** Why `text` names no repository, or null. */
export function repoProblem(text: string): string | null {
  const name = text.trim();
  if (name === "") return "Write the name of a model, such as Qwen/Qwen3-0.6B.";
  if (/^https?:/i.test(name)) return "Write owner/name, without the address in front of it.";
  return REPO.test(name) ? null : "A model's name has the form owner/name, such as Qwen/Qwen3-0.6B.";
}
