/** Decides what one call of `svc(name, options)` does: send it or not; either way the caller's callback is called, once and later. */

import { isCounted } from "./counting-rules.ts";
import { type EventOptions, eventBody } from "./event-body.ts";
import { attempt } from "./attempt.ts";
import { pageAddress } from "./page-address.ts";
import type { Settings } from "./settings.ts";
import { send, sendForAnswer } from "./transport.ts";

export type Report = (name: string, options?: EventOptions) => void;

export const createReport =
  (settings: Settings): Report =>
  (name, options) => {
    const given = options || {};
    const answered = typeof given.callback === "function" && given.callback;
    const isSent = attempt(() => {
      const address = new URL(given.url || pageAddress(settings.flag("hash")), location.href);
      address.hash = "";
      if (!name || !isCounted(settings, address.pathname)) return false;
      // The service takes a file's path, and no address of one.
      const body = eventBody(settings.site, name, address.href.replace(/^file:../, ""), given);
      if (answered) sendForAnswer(settings.api, body, answered);
      else send(settings.api, body);
      return true;
    });
    if (answered && !isSent) setTimeout(answered, 0, { status: 0 });
  };
