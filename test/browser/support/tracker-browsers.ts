/** Decides in which browsers the tracker's cases run, and what each of them cannot show: one list of cases for all. */

import type { Browser } from "playwright-core";
import { type TestContext, test } from "vitest";
import { skippedFor } from "../../support/skipped.ts";
import { launchBrowser } from "./browser.ts";
import { FIREFOX_PATH, launchFirefox } from "./firefox.ts";

/** What a case may need of its browser. */
export type Ability = "prerenders" | "keepsPagesForBack" | "hidesBackgroundTabs" | "sendsClientHints" | "hasNavigationApi";

export type TrackerBrowser = {
  readonly name: string;
  /** Why it cannot run on this machine; null where it can. */
  readonly missing: string | null;
  /** Why cases that need this are left out. */
  readonly lacks: Partial<Readonly<Record<Ability, string>>>;
  /** Windows are slow to open there, so that one visit after the other has the same. */
  readonly keepsWindows: boolean;
  launch(): Promise<Browser>;
};

export const CHROMIUM: TrackerBrowser = {
  name: "Chromium",
  missing: null,
  lacks: {
    keepsPagesForBack: "without a window it has no back/forward cache",
    hidesBackgroundTabs: "without a window it shows every tab",
  },
  keepsWindows: false,
  launch: () => launchBrowser({ automated: true }),
};

export const FIREFOX: TrackerBrowser = {
  name: "Firefox",
  missing: FIREFOX_PATH === null ? "there is no Firefox on this machine" : null,
  lacks: {
    prerenders: "it prerenders no pages",
    sendsClientHints: "it has no client hints",
    hasNavigationApi: "it has no Navigation API",
  },
  keepsWindows: true,
  launch: launchFirefox,
};

/** A case for the browsers that have the ability. In the others it is skipped by name, with the reason. */
export const testNeeding = (
  { lacks }: TrackerBrowser,
  ability: Ability,
  name: string,
  run: (context: TestContext) => Promise<void>,
): void => {
  test(name, skippedFor(lacks[ability]), run);
};
