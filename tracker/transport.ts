/** Decides how an event travels: as plain text, which browsers send to another origin without asking it first. */

import { attempt } from "./attempt.ts";

export type Answer = { readonly status: number };

/** How long a caller who wants the answer may have to wait for it. */
const ANSWER_TIMEOUT_MS = 5000;

/**
 * Sends and forgets: the page may be leaving. A beacon is refused when too much is under way already, which a request that
 * outlives its page would be, too.
 */
export const send = (url: string, body: string): void => {
  if (!attempt(() => navigator.sendBeacon(url, body))) sendForAnswer(url, body);
};

/** Sends and tells how it went; status 0 means no answer came. */
export const sendForAnswer = (url: string, body: string, answered: (answer: Answer) => void = () => {}): void => {
  const request = new XMLHttpRequest();
  request.onloadend = () => answered({ status: request.status });
  request.open("POST", url);
  request.timeout = ANSWER_TIMEOUT_MS;
  request.send(body);
};
