/** The words the script shares with the service: copied from `src/runtime/config/names.ts` so the bundle carries no more than these, and compared with it by a test. */

/** The public function's name, and the beginning of every other name that is the product's. */
export const PREFIX = "svc";

/** Where events are posted when `data-api` does not say. */
export const EVENT_PATH = "/api/event";

export const PAGEVIEW = "pageview";
export const OUTBOUND_CLICK = "Outbound Link: Click";
export const FILE_DOWNLOAD = "File Download";
