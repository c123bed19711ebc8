/** When tracking starts: once the page is visible, first with its pageview, then with the calls queued before it. */

import { attempt } from "./attempt.ts";
import { documentProperty } from "./document-property.ts";
import { trackLinkClicks } from "./link-clicks.ts";
import { trackPageviews } from "./pageviews.ts";
import type { Settings } from "./settings.ts";
import { createTrack, type Track } from "./track.ts";

/** Runs the action once, as soon as the page is neither prerendered nor in a background tab. */
const whenVisible = (action: () => void): void => {
  let isDone = false;
  const check = (): void => {
    if (isDone || documentProperty("prerendering") || documentProperty("hidden")) return;
    isDone = true;
    action();
  };
  // Capturing on the window: only one of the two bubbles, and an element may hide the document's addEventListener.
  for (const type of ["prerenderingchange", "visibilitychange"]) addEventListener(type, check, true);
  check();
};

/** Starts tracking. The returned function adds to the queue until then. */
export const startTracking = (settings: Settings, queue: Parameters<Track>[]): Track => {
  const track = createTrack(settings);
  let isStarted = false;
  const trackOrQueue: Track = (...call) => {
    if (isStarted) track(...call);
    else queue.push(call);
  };
  trackLinkClicks(settings, trackOrQueue);
  whenVisible(() => {
    // A page may have frozen the history API, and its queue may hold anything.
    attempt(() => trackPageviews(track, settings.flag("hash")));
    isStarted = true;
    for (const call of queue) attempt(() => track(...call));
  });
  return trackOrQueue;
};
