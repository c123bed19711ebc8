/** Names that belong to the product and that readers see: in messages, on the page, in the tracking code. The tracker repeats the prefix, and a test compares the two. */

export const PREFIX = "svc";

export const TRACK_FUNCTION = PREFIX;

/** The product's name in prose: log lines, messages, file names. */
export const PRODUCT_NAME = "Sandpiper";

/** An option's environment variable is this and the option's name in capitals. */
export const ENVIRONMENT_PREFIX = `${PREFIX.toUpperCase()}_`;

/** The paths of the tracking script. */
export const SCRIPT_PATHS = [`/${PREFIX}.js`, "/js/script.js"] as const;

/** The made-up site (docs/http-api.md, "Demo site"). A name that nobody can own (RFC 2606, 3). */
export const DEMO_SITE = "demo.example";
