/** Decides when a page counts as seen: once it is shown, not while it is prerendered or waits in a background tab. */

import { attempt } from "./attempt.ts";

export const onFirstSight = (action: () => void): void => {
  let isSeen = false;
  const look = (): void => {
    if (isSeen || document.prerendering || document.hidden) return;
    isSeen = true;
    attempt(action);
  };
  document.addEventListener("prerenderingchange", look);
  document.addEventListener("visibilitychange", look);
  look();
};
