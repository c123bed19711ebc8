/** Decides what a visit has of the browser: a profile and window of its own, or, where windows are slow to open, one that an earlier visit has left. */

import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import type { TrackerBrowser } from "./tracker-browsers.ts";

export type Window = {
  readonly context: BrowserContext;
  readonly page: Page;
  /** Closes it, or leaves it to the next visit. */
  close(): Promise<void>;
};

export type Windows = {
  /** `prepare` runs in its pages before any script of theirs. */
  open(prepare: string, options?: BrowserContextOptions): Promise<Window>;
  close(): Promise<void>;
};

type Kept = Pick<Window, "context" | "page">;

export const openWindows = async ({ launch, keepsWindows }: TrackerBrowser): Promise<Windows> => {
  const browser: Browser = await launch();
  const idle: Kept[] = [];

  const newWindow = async (options?: BrowserContextOptions): Promise<Kept> => {
    const context = await browser.newContext(options);
    return { context, page: await context.newPage() };
  };

  return {
    async open(prepare, options) {
      const isKept = keepsWindows && options === undefined;
      const { context, page } = (isKept && idle.pop()) || (await newWindow(options));
      const prepared = await context.addInitScript(prepare);
      return {
        context,
        page,
        async close() {
          if (!isKept) return context.close();
          await prepared.dispose();
          for (const tab of context.pages()) if (tab !== page) await tab.close();
          idle.push({ context, page });
        },
      };
    },
    close: () => browser.close(),
  };
};
