/** What a reader who waits for the first event should know: names that events arrive for, and what to check. */
import type { Installation } from "../api/types.ts";
import { areRelated } from "./event-checks.ts";
import { SCRIPT_PATH } from "../names.ts";
import { isLocalSite } from "./platforms.ts";

const NAMES_MAX = 3;

/** Names whose events may be those of the site. Other sites that were there before are named only when the first event is late. */
export function arrivingNames(siteId: string, { other_events: others }: Installation, sites: readonly string[], isLate: boolean): string[] {
  const accepted = new Set(others.filter(({ outcome }) => outcome === "accepted").map(({ name }) => name));
  return [...accepted].filter((name) => isLate || areRelated(siteId, name) || !sites.includes(name)).slice(0, NAMES_MAX);
}

/** What to check when nothing comes, most likely first. Texts between backticks are code. */
export function thingsToCheck(siteId: string, scriptUrl: string): string[] {
  const { host } = new URL(scriptUrl);
  return [
    `The page is published, and its source has \`${SCRIPT_PATH.slice(1)}\` and \`data-domain="${siteId}"\`.`,
    ...(isLocalSite(host) && !isLocalSite(siteId)
      ? [`The script's address is public, not \`${host}\`. Open the dashboard under its public address and copy the code again.`]
      : []),
    "No ad blocker stops it. Try a private window or another browser.",
    ...(isLocalSite(siteId) ? [] : ["You visit the public page. On `localhost`, the tag needs `data-include-local`."]),
  ];
}
