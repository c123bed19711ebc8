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

/** Resolves once the page is shown. By the browser's own word: what a visit has prepared in its page may say otherwise. */
const SHOWN = `new Promise((resolve) => {
  const { get: isHidden } = Object.getOwnPropertyDescriptor(Document.prototype, "hidden");
  const look = () => isHidden.call(document) || resolve();
  document.addEventListener("visibilitychange", look);
  look();
})`;

export const openWindows = async ({ launch, keepsWindows }: TrackerBrowser): Promise<Windows> => {
  const browser: Browser = await launch();
  const idle: Kept[] = [];

  const newWindow = async (options?: BrowserContextOptions): Promise<Kept> => {
    const context = await browser.newContext(options);
    return { context, page: await context.newPage() };
  };

  /** A window that an earlier visit has left, once it shows its page again: the browser may have put another tab before it. */
  const takeIdle = async (): Promise<Kept | undefined> => {
    const kept = idle.pop();
    if (kept === undefined) return undefined;
    for (const tab of kept.context.pages()) if (tab !== kept.page) await tab.close();
    await kept.page.evaluate(SHOWN);
    return kept;
  };

  return {
    async open(prepare, options) {
      const isKept = keepsWindows && options === undefined;
      const { context, page } = (isKept && (await takeIdle())) || (await newWindow(options));
      const prepared = await context.addInitScript(prepare);
      return {
        context,
        page,
        async close() {
          if (!isKept) return context.close();
          await prepared.dispose();
          idle.push({ context, page });
        },
      };
    },
    close: () => browser.close(),
  };
};
