/** Where the pages of a site load the tracking script. */
import { SCRIPT_PATH } from "../names.ts";

/** Addresses that a server listens on, and that only some clients can connect to. */
const ALL_INTERFACES = ["0.0.0.0", "[::]"];

/** The script beside the dashboard's page, whose URL ends with a slash before its query. */
export function scriptUrlOf(page: string): string {
  const url = new URL(`.${SCRIPT_PATH}`, page);
  if (ALL_INTERFACES.includes(url.hostname)) url.hostname = "localhost";
  return url.href;
}
