/** Describes the check of an installation (docs/http-api.md, "Installation check"). */
import { OUTCOMES } from "../../runtime/ingest/event-outcomes.ts";
import { boolean, closed, count, list, text } from "../../runtime/query/json-schema.ts";
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

export const INSTALLATION_SCHEMAS = {
  Installation: closed({
    since: timestamp("When the program started, and with it the counts."),
    is_allowed: boolean("Whether `site_ids` allows the site."),
    has_events: boolean("Whether the site has events, from before the start, too."),
    events: list("The events of the site.", OUTCOME_COUNT),
    other_events: list("The events of other names, the latest first.", OUTCOME_COUNT),
  }),
};

export const INSTALLATION_OPERATIONS = {
  "GET /api/installation": {
    operationId: "getInstallation",
    tag: "Installation",
    summary: "What became of a site's events",
    description: "Counts in memory since the start of the program, by site and outcome.",
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
} satisfies Readonly<Record<string, Operation>>;
