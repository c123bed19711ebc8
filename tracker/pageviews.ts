/** What counts as a pageview: the first view of a page, a navigation within it, and its return from the back/forward cache. */

import { PAGEVIEW } from "./names.ts";
import { pageUrl } from "./page-url.ts";
import type { Track } from "./track.ts";

export const trackPageviews = (track: Track, hash: boolean): void => {
  let lastUrl: string;

  const view = (): void => {
    lastUrl = pageUrl(hash);
    track(PAGEVIEW);
  };
  const viewIfNavigated = (): void => {
    if (pageUrl(hash) !== lastUrl) view();
  };

  view();
  for (const method of ["pushState", "replaceState"] as const) {
    const original = history[method];
    history[method] = function (...args) {
      original.apply(this, args);
      viewIfNavigated();
    };
  }
  addEventListener("popstate", viewIfNavigated);
  if (hash) addEventListener("hashchange", viewIfNavigated);
  addEventListener("pageshow", (event) => {
    if (event.persisted) view();
  });
};
