/** Helpers for tests of a site's settings: opening a section, and what is wrong with it at three widths. */
import type { BrowserContext, Page } from "playwright-core";
import { withSession } from "../../support/auth-requests.ts";
import { violationsNow } from "./accessibility.ts";
import { newWindow } from "./dashboard-browser.ts";
import { misplaced } from "./layout.ts";

/** Both color schemes are seen; a scheme changes nothing but colors. */
const WINDOWS = [
  [1440, "light"],
  [768, "dark"],
  [320, "light"],
] as const;

/** Asks the API with a session of its own, and resolves to its JSON. */
export type Ask = (method: string, path: string, body?: unknown) => Promise<unknown>;

export async function logInToApi(origin: string, password: string): Promise<Ask> {
  const login = await fetch(`${origin}/api/auth/login`, { method: "POST", body: JSON.stringify({ password }) });
  const { token } = (await login.json()) as { readonly token: string };
  return async (method, path, body) => {
    const init = { method, headers: { ...withSession(token), origin }, ...(body !== undefined && { body: JSON.stringify(body) }) };
    return (await fetch(origin + path, init)).json();
  };
}

/** Least side of what a finger has to hit, in CSS pixels. */
const TARGET_PX_MIN = 44;

export type Section = "general" | "goals" | "pages" | "sources" | "privacy" | "data" | "sharing";

export const settingsUrl = (origin: string, site: string, section: Section, query = ""): string =>
  `${origin}/?site=${site}&view=settings${section === "general" ? "" : `&section=${section}`}${query}`;

export async function openSection(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await page.locator(".settings form, .settings .actions").first().waitFor();
}

/** What axe finds, and what overflows, overlaps or is cut, at each width. */
export async function problemsAtAllWidths(page: Page): Promise<readonly string[]> {
  const found: string[] = [];
  for (const [width, colorScheme] of WINDOWS) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme });
    const problems = [...(await page.evaluate<string[]>(misplaced("main"))), ...(await violationsNow(page))];
    found.push(...problems.map((problem) => `${width} px: ${problem}`));
  }
  await page.emulateMedia({ colorScheme: null });
  return found;
}

/** The controls of the page's settings that are lower than a finger needs, as a touch screen shows them. */
export async function smallTargets(context: BrowserContext, url: string): Promise<readonly string[]> {
  const phone = await newWindow({
    storageState: await context.storageState(),
    viewport: { width: 320, height: 800 },
    hasTouch: true,
    isMobile: true,
  });
  const page = await phone.newPage();
  await openSection(page, url);
  const small = await page.evaluate<string[]>(`[...document.querySelectorAll(
    ".settings :is(button, a, select, textarea, .choice, input:not([type=radio], [type=checkbox], [hidden]))")]
    .filter((target) => target.getBoundingClientRect().height < ${TARGET_PX_MIN} && !target.matches("p *"))
    .map((target) => target.outerHTML.slice(0, 120))`);
  await phone.close();
  return small;
}
