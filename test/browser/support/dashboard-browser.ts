/** The browser of the dashboard's tests: one Chromium for all files of a process, and private windows of it. */
import type { Browser, BrowserContext, BrowserContextOptions } from "playwright-core";
import { CLOCK_AHEAD_MS } from "../../support/fixed-clock.ts";
import { launchBrowser, VISITOR_HINTS } from "./browser.ts";

/** Longest wait for an element: many times as long as on an idle machine, because a busy one makes no test wrong. */
export const ACTION_MS_MAX = 60_000;

/** Of all clocks of a page, the dashboard reads only this one for the time. Timers and durations need no date. */
const SET_CLOCK = `{ const machineMs = Date.now; Date.now = () => machineMs() + ${CLOCK_AHEAD_MS}; }`;

let launched: Promise<Browser> | null = null;

/** Starting a browser takes longer than most tests. It ends with the process. */
async function sharedBrowser(): Promise<Browser> {
  launched ??= launchBrowser();
  const browser = await launched;
  if (browser.isConnected()) return browser;
  launched = launchBrowser();
  return launched;
}

/**
 * A private window, which shares nothing with others. It shows no animations: painting them takes half of the processor's time, and a test
 * of one asks for it. Its reader is British.
 */
export async function newWindow(options: BrowserContextOptions = {}): Promise<BrowserContext> {
  const context = await (
    await sharedBrowser()
  ).newContext({ locale: "en-GB", reducedMotion: "reduce", extraHTTPHeaders: VISITOR_HINTS, ...options });
  context.setDefaultTimeout(ACTION_MS_MAX);
  await context.addInitScript(SET_CLOCK);
  return context;
}
