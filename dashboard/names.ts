/** Every name that carries the product's prefix, as the service has it: the page imports nothing of the service. */

/** Where pages load the tracking script. */
export const SCRIPT_PATH = "/svc.js";

/** The product's name in prose. */
export const PRODUCT_NAME = "Sandpiper";
