/** The public URL of the tracking script. */
import { scriptUrlOf } from "../format/script-url.ts";

/** The canonical link is there if `dashboard_origin` is set. */
const publicUrl = document.querySelector<HTMLLinkElement>('link[rel="canonical"]')?.href;

export const scriptUrl = (): string => scriptUrlOf(publicUrl ?? location.href);
