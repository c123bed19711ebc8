/** What `svc(name, options)` does: sends the event or not, and calls the callback exactly once, always asynchronously. */

import { attempt } from "./attempt.ts";
import { isCounted } from "./counting-rules.ts";
import { type EventOptions, eventBody } from "./event-body.ts";
import { pageUrl } from "./page-url.ts";
import type { Settings } from "./settings.ts";
import { send, sendWithCallback } from "./transport.ts";

export type Track = (name: string, options?: EventOptions) => void;

export const createTrack =
  (settings: Settings): Track =>
  (name, options) => {
    const given = options || {};
    const callback = typeof given.callback === "function" && given.callback;
    const isSent = attempt(() => {
      const url = new URL(given.url || pageUrl(settings.flag("hash")), location.href);
      url.hash = "";
      if (!name || !isCounted(settings, url.pathname)) return false;
      // The service accepts the path of a file, but no file: URL.
      const body = eventBody(settings.site, name, url.href.replace(/^file:../, ""), given);
      if (callback) sendWithCallback(settings.api, body, callback);
      else send(settings.api, body);
      return true;
    });
    if (callback && !isSent) setTimeout(callback, 0, { status: 0 });
  };
