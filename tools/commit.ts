/** @file Which state of the repository made something: for stamps, runs and figures. */

import { execFileSync } from "node:child_process";

/** The short commit, with "+" where tracked files differ from it; null outside a checkout. */
export function commit(): string | null {
  try {
    return execFileSync("git", ["describe", "--always", "--dirty=+", "--exclude", "*"], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }).trim();
  } catch {
    return null;
  }
}
