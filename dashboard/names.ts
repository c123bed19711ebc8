/** The names that belong to the product, here only. The page imports nothing of the service, so they repeat the service's own. */

export const PRODUCT_NAME = "Sandpiper";

/** The site whose data is made up. */
export const DEMO_SITE = "demo.example";

/** The tracking script's path. */
export const SCRIPT_PATH = "/svc.js";

/** The tracking script's public function. */
export const TRACK_FUNCTION = "svc";

/** The local storage key with which visitors opt out. */
export const OPT_OUT_KEY = `${TRACK_FUNCTION}_ignore`;

/** The environment variable of an option. */
export const environmentVariable = (option: string): string => `SVC_${option.toUpperCase()}`;
