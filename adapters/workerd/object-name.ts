/** Which Durable Object answers a request. The one place to change for more than one. */

/** Everything is in one object, so that one journal, one set of keys and one engine serve all sites. */
const ONLY_OBJECT = "main";

export const objectNameOf = (_request: Request): string => ONLY_OBJECT;
