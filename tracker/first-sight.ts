/** Decides when a page counts as seen: once it is shown, not while it is prerendered or waits in a background tab. */

import { documentProperty } from "./document-property.ts";

export const onFirstSight = (action: () => void): void => {
  let isSeen = false;
  const look = (): void => {
    if (isSeen || documentProperty("prerendering") || documentProperty("hidden")) return;
    isSeen = true;
    action();
  };
  // At the window, on their way down: only one of them bubbles, and the document's own method may be hidden by an element.
  for (const type of ["prerenderingchange", "visibilitychange"]) addEventListener(type, look, true);
  look();
};
