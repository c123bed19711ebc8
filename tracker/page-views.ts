/** Decides what is a pageview: the first sight of a page, a move to another address within it, and its return from the back/forward cache. */

import { PAGEVIEW } from "./names.ts";
import { pageAddress } from "./page-address.ts";
import type { Report } from "./report.ts";

export const watchPageViews = (report: Report, hash: boolean): void => {
  let lastAddress: string;

  const view = (): void => {
    lastAddress = pageAddress(hash);
    report(PAGEVIEW);
  };
  const viewIfMoved = (): void => {
    if (pageAddress(hash) !== lastAddress) view();
  };

  view();
  for (const method of ["pushState", "replaceState"] as const) {
    const original = history[method];
    history[method] = function (...args) {
      original.apply(this, args);
      viewIfMoved();
    };
  }
  addEventListener("popstate", viewIfMoved);
  if (hash) addEventListener("hashchange", viewIfMoved);
  addEventListener("pageshow", (event) => {
    if (event.persisted) view();
  });
};
