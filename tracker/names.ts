/** The names that the script shares with the service: repeated here because its build takes only its own files, and compared by a test. */

/** The public function, and the prefix of the product's other names. */
export const PREFIX = "svc";

/** The key of local storage with which a visitor opts out. */
export const IGNORE_KEY = PREFIX + "_ignore";

/** The fragment of links that open the visitor's choice, and the id of its element. */
export const OPT_OUT_ID = PREFIX + "-opt-out";

/** The path to which events are sent without `data-api`. */
export const EVENT_PATH = "/api/event";

export const PAGEVIEW = "pageview";
export const OUTBOUND_CLICK = "Outbound Link: Click";
export const FILE_DOWNLOAD = "File Download";
