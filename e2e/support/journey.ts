/** @file The main job after a text has been added: it becomes memory, is forgotten, answers, and loses a fact with proof. */
import type { Page } from "@playwright/test";
import { ask, cellOf, exported, recalledTokens, runAll } from "./app.ts";
import { expect } from "./test.ts";

export interface Journey {
  /** What is asked; the last one is about the fact that is deleted, if one is. */
  readonly questions: readonly Asked[];
  /** The fact to delete, and its key as "anchor (index)"; null: the journey ends with the answers. */
  readonly doomed: Doomed | null;
  /** Whether the page is loaded anew between memorising and asking. */
  readonly reloaded: boolean;
  /** The longest that opening the model and one run may take, in milliseconds. */
  readonly timeout: number;
}

interface Doomed {
  readonly value: string;
  readonly key: string;
}

interface Asked {
  readonly question: string;
  /** A word of the right answer. */
  readonly answer: string;
  /** A sentence that stands with it. */
  readonly recalled?: string;
}

/** From a notebook whose source cell holds a text to answers, and to a memory that has lost one fact and nothing else. */
export async function journey(page: Page, { questions, doomed, reloaded, timeout }: Journey): Promise<void> {
  const forgotten = () => cellOf(page, "source").getByText("forgotten", { exact: true });
  await runAll(page, timeout);
  await expect(forgotten()).toBeVisible();
  await expect(page.getByText("Saved in this browser")).toBeVisible();

  if (reloaded) {
    await page.reload();
    await expect(forgotten()).toBeVisible();
  }
  const answers = new Map<string, string>();
  for (const { question, answer, recalled = answer } of questions) {
    answers.set(question, await ask(page, question, timeout));
    expect(answers.get(question), question).toContain(answer);
    const article = cellOf(page, "ask").getByRole("article", { name: `Question: ${question}` });
    await expect(article.first()).toContainText(recalled);
  }

  if (!doomed) return;
  await deleteFact(page, doomed, timeout);
  const lost = questions.at(-1)!.question;
  const kept = questions.slice(0, -1).map(({ question }) => question);
  expect(await ask(page, lost, timeout)).toBe("Nothing in memory comes near this question.");
  for (const question of kept) expect(await ask(page, question, timeout)).toBe(answers.get(question));
  const notebook = await exported(page);
  for (const question of kept) {
    const [after, before] = recalledTokens(notebook, question);
    expect(after!.length, question).toBeGreaterThan(0);
    // A neighbour of the deleted sentence may come in its place; the other facts come back as they did.
    const stayed = before!.filter(([key]) => key !== doomed.key);
    const again = new Map(after);
    expect(stayed.length, question).toBeGreaterThan(0);
    expect(
      stayed.map(([key]) => [key, again.get(key)]),
      question,
    ).toEqual(stayed);
  }
}

/** Deletes one fact in the table of the store and reads its certificate. */
async function deleteFact(page: Page, { value, key }: Doomed, timeout: number): Promise<void> {
  const store = cellOf(page, "store");
  const grid = store.getByRole("grid", { name: "Facts in memory" });
  const rows = Number(await grid.getAttribute("aria-rowcount"));
  await grid.getByRole("row").filter({ hasText: value }).getByRole("gridcell").first().click();
  await store.getByRole("button", { name: "Delete", exact: true }).click();
  await page.getByRole("menuitem", { name: "Only this fact" }).click();
  await expect(grid.getByRole("row").filter({ hasText: value })).toHaveCount(0);
  await page.getByRole("button", { name: "Delete now" }).click();
  const certificate = store.getByRole("article", { name: /^Deletion certificate/ });
  await expect(certificate).toBeVisible({ timeout });
  await expect(certificate.getByRole("row").filter({ hasText: key })).toContainText(value);
  await expect(certificate).toContainText(/recalled before and after: not one token differs/);
  await expect(grid).toHaveAttribute("aria-rowcount", String(rows - 1));
}
