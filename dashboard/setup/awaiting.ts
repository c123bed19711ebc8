/** How a first event is awaited: often at first, then rarely. */
import type { Rhythm } from "../state/use-polling.ts";

const OFTEN_MS = 2000;
const RARELY_MS = 15_000;

/** How long to poll often. */
const OFTEN_FOR_MS = 300_000;

export const AWAITING: Rhythm = {
  // So that typing a name does not send a request for each letter.
  firstMs: 500,
  pauseMs: (sinceMs) => (sinceMs < OFTEN_FOR_MS ? OFTEN_MS : RARELY_MS),
};
