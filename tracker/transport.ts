/** How an event is sent: as text/plain, which needs no CORS preflight. */

import { attempt } from "./attempt.ts";

/** Status 0: nothing was sent, or no response came. */
export type Result = { readonly status: number };

/** How long a callback may have to wait for the response. */
const RESPONSE_TIMEOUT_MS = 5000;

/** Sends without waiting, as the page may be unloading. A beacon is refused when too many bytes are in flight; so would be `keepalive`. */
export const send = (url: string, body: string): void => {
  if (!attempt(() => navigator.sendBeacon(url, body))) sendWithCallback(url, body);
};

export const sendWithCallback = (url: string, body: string, callback: (result: Result) => void = () => {}): void => {
  const request = new XMLHttpRequest();
  request.onloadend = () => callback({ status: request.status });
  request.open("POST", url);
  request.timeout = RESPONSE_TIMEOUT_MS;
  request.send(body);
};
