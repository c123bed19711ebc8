/** The public URL of the tracking script. */
import { scriptUrlOf } from "./script-url.ts";
import { pageUrl } from "./page-url.ts";

export const scriptUrl = (): string => scriptUrlOf(pageUrl());
