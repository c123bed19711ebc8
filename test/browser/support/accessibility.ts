/** Runs axe on a page. */
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

const STALE = ".stale";

/** Which elements axe looks at, by selectors; by default all. */
interface Parts {
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
}

/** Resolves when no color changes gradually any more. A transition that another one replaces is canceled. */
const TRANSITIONS_ENDED = `Promise.allSettled(
  document.getAnimations().filter((animation) => animation instanceof CSSTransition).map(({ finished }) => finished)).then(() => {})`;

/**
 * The violations of the page as it is now, each as its rule and the beginning of the element. Data of an earlier request is dimmed until
 * the next has arrived, with too little contrast: unless it is excluded, it is waited for. So are transitions, e.g. to another scheme.
 */
export async function violationsNow(page: Page, parts: Parts = {}): Promise<string[]> {
  if (!parts.exclude?.includes(STALE)) await page.locator(STALE).first().waitFor({ state: "detached" });
  if (!(await page.evaluate<boolean>("'axe' in self"))) await page.evaluate(await readFile(AXE, "utf8"));
  await page.evaluate(TRANSITIONS_ENDED);
  const context = JSON.stringify({ include: ["html"], ...parts });
  return page.evaluate<string[]>(
    `axe.run(${context}).then(({ violations }) =>
      violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ": " + html.slice(0, 160))))`,
  );
}

/** The same in both color schemes. */
export async function violationsOf(page: Page): Promise<string[]> {
  const found: string[] = [];
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    found.push(...(await violationsNow(page)).map((violation) => `${colorScheme}: ${violation}`));
  }
  await page.emulateMedia({ colorScheme: null });
  return found;
}
