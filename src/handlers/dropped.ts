/** GET /api/stats/dropped: events that got their response and are not stored (docs/bots.md). */
import { PURPOSES } from "../runtime/bots/ai-crawlers.ts";
import { DROP_REASONS } from "../runtime/bots/drop-reasons.ts";
import { droppedReport } from "../runtime/bots/dropped-report.ts";
import { BREAKDOWN_ROWS_DEFAULT } from "../runtime/base/config/report-limits.ts";
import { closed, count, list, nullable, orNull, text, word } from "../runtime/base/json-schema.ts";
import { datesOf } from "../runtime/query/date-range.ts";
import { rowLimit } from "../runtime/query/parameters.ts";
import { SCOPE_PARAMETERS, scopeOf } from "../runtime/query/scope.ts";
import { BREAKDOWN_ROWS_MAX, LONG_RANGE_DAYS_MAX } from "../shared/limits.ts";
import { inCountQueue } from "./count-queue.ts";
import { jsonReply, Query, timeZoneHeaders } from "./http.ts";
import { readSite } from "./items.ts";
import { NOT_STORED, TIME_ZONE } from "./openapi/headers.ts";
import { answer, documented, TOO_MANY_VIEWS, type Operations } from "./openapi/operation.ts";
import type { Handler } from "./route.ts";

const { site_id: SITE_ID, period, start_date, end_date, interval } = SCOPE_PARAMETERS;

const PARAMETERS = {
  ...{ site_id: SITE_ID, period, start_date, end_date, interval },
  limit: rowLimit("Rows of each list.", BREAKDOWN_ROWS_MAX, BREAKDOWN_ROWS_DEFAULT),
};

export const getDropped: Handler = async (_request, context) => {
  const { services, reader, url, deadline } = context;
  readSite(context);
  const { limit, ...asked } = new Query(url).parse(PARAMETERS);
  const { siteId, range } = await scopeOf({ ...asked, filters: [], segment: null, lens: "default" }, reader);
  const { droppedEvents } = services;
  if (droppedEvents === null) throw new Error("this instance counts nothing that is dropped");
  const { signal } = deadline;
  const question = { siteId, dates: datesOf(range), limit, signal };
  const report = await inCountQueue(services, () => droppedReport(droppedEvents, question), signal);
  const timeZone = reader.calendarOf(siteId).zoneAt(reader.nowMs);
  return jsonReply({ start_date: range.firstDay, end_date: range.lastDay, ...report }, 200, timeZoneHeaders(timeZone));
};

// Description in the OpenAPI document

const DROPPED = count("Dropped events.");
const REST = count("Dropped events that are in no row.");
const ROWS = { maxItems: BREAKDOWN_ROWS_MAX };
const REASON = closed({ value: word("Why they are dropped.", DROP_REASONS), dropped: DROPPED });
const OPERATOR = orNull(text("A company; null for programs that anybody may run, and for what has no name."));
const PURPOSE = nullable(word("What an AI crawler reads pages for; null for other bots.", PURPOSES));
const NAME = orNull(text("A name of the list of known bots; null for other bots, and for what the site's settings exclude."));

const SCHEMAS = {
  DroppedEvents: closed({
    start_date: text("The first date.", { format: "date" }),
    end_date: text("The last date.", { format: "date" }),
    dropped: count("All dropped events of the dates."),
    days: list(
      "Every date, oldest first.",
      closed({
        date: text("The date.", { format: "date" }),
        dropped: DROPPED,
        reasons: list("The reasons of the date, most first.", REASON, { maxItems: DROP_REASONS.length }),
      }),
      { maxItems: LONG_RANGE_DAYS_MAX },
    ),
    reasons: closed({ rows: list("Most first.", REASON, ROWS), rest: REST }),
    names: closed({
      rows: list("Most first.", closed({ value: NAME, dropped: DROPPED, operator: OPERATOR, purpose: PURPOSE }), ROWS),
      rest: REST,
    }),
    operators: closed({ rows: list("Most first.", closed({ value: OPERATOR, dropped: DROPPED }), ROWS), rest: REST }),
    paths: closed({
      rows: list(
        "Most first.",
        closed({
          value: text("The path; `(none)` if the event has no address of a page."),
          dropped: DROPPED,
          missed_max: count("How many more there may be of this path, in `rest`."),
        }),
        ROWS,
      ),
      rest: REST,
      missed_max: count("How many in `rest` may be of one path for which no row is kept."),
    }),
  }),
};

const OPERATIONS = {
  "GET /api/stats/dropped": {
    operationId: "getDropped",
    summary: "Events that are dropped: of bots, and those that the site's settings exclude",
    description:
      "Totals and all lists but `paths` are exact. Of each day, the most frequent paths are kept. Up to the last write, which is " +
      "seconds ago, the counts survive a kill of the service.",
    parameters: documented(PARAMETERS),
    answers: { 200: answer("The counts.", "DroppedEvents", { ...NOT_STORED, ...TIME_ZONE }) },
    refusals: {
      request_timeout: "The counts were not read within the time limit.",
      invalid_input: "A parameter is missing, invalid, or given more than once.",
      too_many_requests: `Too many of these reports wait. Or: ${TOO_MANY_VIEWS}`,
      internal: "The counts could not be read.",
    },
  },
} satisfies Operations;

export const DROPPED_API = { tag: "Statistics", schemas: SCHEMAS, operations: OPERATIONS } as const;
