/** Checks of the site's page, from the service's findings. */
import type { InstallationPage } from "../api/types.ts";
import { note, ok, problem, type Check } from "./checks.ts";

type Findings = NonNullable<InstallationPage["findings"]>;

const PROBLEMS: Readonly<Record<NonNullable<InstallationPage["problem"]>, Check>> = {
  not_public: problem("The page isn't on a public address", "Only public pages can be checked. The other checks still apply."),
  unresolvable: problem("The page's name has no address", "Check the spelling, and that the domain's DNS records exist."),
  unreachable: problem("The page's server can't be reached", "Check that it is up, and that this server may connect to it."),
  certificate: problem("The page's TLS certificate isn't valid", "Renew it, or check the page under the name that it is for."),
  timeout: problem("The page took more than 5 seconds", "Try again, or check a smaller page."),
  too_many_redirects: problem("The page redirects more than 3 times", "Check the page that the redirects lead to."),
  foreign_redirect: problem("The page redirects to another site", "Check that page, with its own name as the site."),
  not_html: problem("The address isn't that of an HTML page", "Enter the address of a page that visitors see."),
};

const PASTE = "Paste the tracking code into the page's `<head>` and publish. It may also be an old copy from a cache.";

function scriptCheck({ script, uses_tag_manager: usesTagManager }: Findings): Check {
  if (script === "found") return ok("The page has the script tag");
  if (script === "other_address") return problem("The page's script tag points to another address", "Copy the tracking code again.");
  if (script === "mentioned")
    return note(
      "The page has no script tag, but names the script",
      "A framework may add the tag in the browser. If no events arrive, check that it does.",
    );
  if (usesTagManager)
    return note("The page has no script tag, but loads Tag Manager", "Check that your tag is published, with the trigger All Pages.");
  return problem("The page has no script tag", PASTE);
}

function siteCheck(siteId: string, { script, data_domain: named }: Findings): Check[] {
  if (script !== "found" && script !== "other_address") return [];
  if (named === null) return [problem("The script tag names no site", `Add \`data-domain="${siteId}"\` to it.`)];
  if (named !== siteId)
    return [problem(`The script tag is for \`${named}\``, `Change it to \`data-domain="${siteId}"\`, or open that site here.`)];
  return [ok(`The script tag is for \`${siteId}\``)];
}

const MIXED = problem(
  "Browsers block the script: the page uses https and the script http",
  "Serve this program over https, and copy the tracking code from there.",
);

function blockChecks({ script, script_blocked_by: scriptBlocker, events_blocked_by: eventsBlocker }: Findings, scriptUrl: string): Check[] {
  if (scriptBlocker === "mixed_content" || eventsBlocker === "mixed_content") return [MIXED];
  const { origin } = new URL(scriptUrl);
  const blocks = (what: string, directive: string) =>
    problem(`The page's Content Security Policy blocks ${what}`, `Add \`${origin}\` to \`${directive}\`.`);
  return [
    ...(scriptBlocker === null ? [] : [blocks("the script", "script-src")]),
    ...(eventsBlocker === null ? [] : [blocks("events", "connect-src")]),
    ...(scriptBlocker === null && eventsBlocker === null && script === "found"
      ? [ok("The page's Content Security Policy allows the script and its events")]
      : []),
  ];
}

export function pageChecks(siteId: string, scriptUrl: string, { problem: reason, status, findings }: InstallationPage): Check[] {
  if (reason !== null) return [PROBLEMS[reason]];
  const isError = status !== null && status >= 400;
  const failed = problem(`The page answered ${status}`, "Check a page that exists and needs no login.");
  return [
    ...(isError ? [failed] : []),
    ...(findings ? [scriptCheck(findings), ...siteCheck(siteId, findings), ...blockChecks(findings, scriptUrl)] : []),
  ];
}
