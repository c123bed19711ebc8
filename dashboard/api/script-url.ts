/** The URL of the tracking script, as the tracking code names it. */
import { scriptUrlOf } from "../format/script-url.ts";

/** The service adds the link if `dashboard_origin` is set. */
const publicUrl = document.querySelector<HTMLLinkElement>('link[rel="canonical"]')?.href;

export const scriptUrl = (): string => scriptUrlOf(publicUrl ?? location.href);
