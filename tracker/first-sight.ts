/** Decides when a page counts as seen: once it is shown, not while it is prerendered or waits in a background tab. */

export const onFirstSight = (action: () => void): void => {
  let isSeen = false;
  const look = (): void => {
    if (isSeen || document.prerendering || document.hidden) return;
    isSeen = true;
    action();
  };
  document.addEventListener("prerenderingchange", look);
  document.addEventListener("visibilitychange", look);
  look();
};
