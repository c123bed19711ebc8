/** Describes the installation check (docs/http-api.md, "Installation check"). */
import { OUTCOMES } from "../../runtime/ingest/event-outcomes.ts";
import { BODY_BYTES_MAX, URL_CHARS_MAX } from "../../runtime/base/config/limits.ts";
import { PAGE_PROBLEMS } from "../../runtime/installation/page-check.ts";
import { BLOCKERS, SCRIPT_FINDINGS } from "../../runtime/installation/page-findings.ts";
import { PROXY_PROBLEMS } from "../../runtime/installation/proxy-check.ts";
import { boolean, closed, count, list, orNull, text, type Schema } from "../../runtime/query/json-schema.ts";
import { siteIdSchema } from "../../runtime/query/scope-parameters.ts";
import { NOT_STORED } from "./headers.ts";
import type { Operation } from "./operation.ts";
import { SITE } from "./parameters.ts";

const timestamp = (description: string) => text(description, { format: "date-time" });

const OUTCOME_COUNT = closed({
  name: text("The site; for an event that was refused before its site was read, the host of its page."),
  outcome: text("What became of the events.", { enum: OUTCOMES }),
  count: count("How many events."),
  latest_at: timestamp("When the latest of them arrived."),
});

const nullable = (schema: Schema): Schema => ({ anyOf: [schema, { type: "null" }] });

const blocker = (what: string) =>
  nullable(text(`What keeps a browser from ${what}: the Content Security Policy, or http on an https page.`, { enum: BLOCKERS }));

const PROXY_FINDING = closed({
  problem: text("`too_few`: visitors share the address of a proxy. `too_many`: clients can choose the address that counts.", {
    enum: PROXY_PROBLEMS,
  }),
  trust_proxy: count("The value of the option `trust_proxy` that fits the requests."),
});

const PAGE_FINDINGS = closed({
  script: text("`mentioned`: there is no script tag, but the address is in the page. `other_address`: the tag loads another one.", {
    enum: SCRIPT_FINDINGS,
  }),
  data_domain: orNull(text("The site that the script tag names; null without one.")),
  uses_tag_manager: boolean("Whether the page loads Google Tag Manager."),
  script_blocked_by: blocker("loading the script"),
  events_blocked_by: blocker("sending events"),
});

export const INSTALLATION_SCHEMAS = {
  Installation: closed({
    since: timestamp("Since when the counts of the site are complete: the start of the program, or later if names were dropped."),
    is_allowed: boolean("Whether `site_ids` allows the site."),
    has_events: boolean("Whether the site has events, from before the start, too."),
    first_event_date: orNull(
      text("The date of the site's first stored event; null without events, or if storage does not tell.", { format: "date" }),
    ),
    last_event_date: orNull(
      text("The date of the site's last event; null without events, or if storage does not tell.", { format: "date" }),
    ),
    proxy: nullable(PROXY_FINDING),
    files_left_out: count("Files of events, of any site, that reports leave out: damaged, missing or in the wrong folder."),
    events: list("The events of the site.", OUTCOME_COUNT),
    other_events: list("The events of other names, the latest first.", OUTCOME_COUNT),
  }),
  InstallationPageRequest: closed({
    site_id: siteIdSchema("The site: a public host name."),
    url: text("An http or https URL of the site or a subdomain, at the scheme's own port or that of the site.", {
      maxLength: URL_CHARS_MAX,
    }),
    script_url: text("The public address of the script, as in the tracking code. It is not requested.", { maxLength: URL_CHARS_MAX }),
  }),
  InstallationPage: closed({
    problem: nullable(text("Why there are no findings; null if there are.", { enum: PAGE_PROBLEMS })),
    status: orNull(count("The HTTP status of the page; null without a response.")),
    findings: nullable(PAGE_FINDINGS),
  }),
};

export const INSTALLATION_OPERATIONS = {
  "GET /api/installation": {
    operationId: "getInstallation",
    tag: "Installation",
    summary: "What became of a site's events",
    description: "Counts in memory, by site and outcome.",
    parameters: [SITE],
    answers: {
      200: {
        description: "The counts.",
        headers: NOT_STORED,
        content: { "application/json": { schema: { $ref: "#/components/schemas/Installation" } } },
      },
    },
    refusals: { invalid_input: "`site_id` is missing or is no site id." },
  },
  "POST /api/installation/page": {
    operationId: "checkInstallationPage",
    tag: "Installation",
    summary: "What a page of a site says about its installation",
    description: "Requests the page at public addresses only, follows redirects within the site, and returns nothing of its content.",
    requestBody: {
      description: `A JSON object of at most ${BODY_BYTES_MAX} bytes.`,
      required: true,
      content: { "application/json": { schema: { $ref: "#/components/schemas/InstallationPageRequest" } } },
    },
    answers: {
      200: {
        description: "The findings, or why there are none.",
        headers: NOT_STORED,
        content: { "application/json": { schema: { $ref: "#/components/schemas/InstallationPage" } } },
      },
    },
    refusals: {
      invalid_input: "The body is not JSON, the site is no public host name, or a URL breaks its rule.",
      body_too_large: `The body is longer than ${BODY_BYTES_MAX} bytes.`,
      malformed_body: "The body is not an object, or a field is missing or has the wrong type.",
      too_many_requests: "Another page is being checked, or was a moment ago.",
      request_timeout: "The time limit of requests is shorter than that of the check, and was exceeded.",
    },
  },
} satisfies Readonly<Record<string, Operation>>;
