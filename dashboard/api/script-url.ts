/** The public address of the tracking script, as the tracking code names it. */
import { SCRIPT_PATH } from "../names.ts";

export const scriptUrl = (): string => `${location.origin}${SCRIPT_PATH}`;
