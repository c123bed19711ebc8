/** DELETE /api/gdpr/erase: deletes a site's events of a range of dates (docs/http-api.md, "Data deletion"). */
import { ERASURE_WAIT_SHARE } from "../runtime/base/config/clickhouse-limits.ts";
import { AppError, invalidInput, storageUnavailable } from "../runtime/base/errors.ts";
import { parseDates } from "../runtime/query/date-range.ts";
import { closed, count, text, type Schema } from "../runtime/base/json-schema.ts";
import { parameter, required } from "../runtime/query/parameters.ts";
import { SCOPE_PARAMETERS, SHORT_END_DATE } from "../runtime/query/scope.ts";
import { requireAdminOf } from "./access.ts";
import { answer, documented, SITE, type Operations } from "./openapi/operation.ts";
import { jsonReply, Query } from "./http.ts";
import type { Handler } from "./route.ts";

const NOTHING: Schema = { type: "string", maxLength: 0 };

const narrows = (parameters: string): AppError => invalidInput(`${parameters} narrow an erasure: it is of all events of its dates`);

/** Both dates are required: there is no default range. */
const PARAMETERS = {
  start_date: required(SCOPE_PARAMETERS.start_date, (date) => date),
  end_date: required(SHORT_END_DATE, (date) => date),
  // A caller who wants to delete a part must not lose everything.
  filters: parameter(
    { description: "Anything but an empty value is refused, so that nobody deletes more than intended.", schema: NOTHING },
    (value) => {
      if (value) throw narrows('"filters" do not');
    },
  ),
  segment: parameter({ description: "Any value is refused, likewise.", schema: NOTHING }, (value) => {
    if (value !== null) throw narrows('"segment" does not');
  }),
  lens: parameter({ description: "Any value is refused, likewise.", schema: NOTHING }, (value) => {
    if (value !== null) throw narrows('"lens" does not');
  }),
};

export const deleteEvents: Handler = async (_request, context) => {
  const { services, beganMs, url } = context;
  const query = new Query(url);
  const { site_id: siteId } = query.parse({ site_id: SCOPE_PARAMETERS.site_id });
  requireAdminOf(siteId, context);
  const { start_date: startDate, end_date: endDate } = query.parse(PARAMETERS);
  const { firstDay, lastDay } = parseDates({ name: "start_date", value: startDate }, { name: "end_date", value: endDate });
  const untilMs = beganMs + services.config.requestTimeoutSecs * ERASURE_WAIT_SHARE * 1000;
  const { events, days } = await services.eraseOnRequest(siteId, firstDay, lastDay, untilMs).catch((error: unknown) => {
    if (error instanceof AppError) throw error;
    throw storageUnavailable("The events could not all be erased, because storage could not be read or changed. Try again later.", error);
  });
  services.log.info("events were erased on request", { siteId, firstDay, lastDay, events, days });
  return jsonReply({
    status: "erased",
    site_id: siteId,
    start_date: firstDay,
    end_date: lastDay,
    db_records_deleted: events,
    parquet_partitions_deleted: days,
  });
};

// Description in the OpenAPI document

const date = (description: string) => text(description, { format: "date" });

const SCHEMAS = {
  Erased: closed({
    status: text("Constant.", { const: "erased" }),
    site_id: text("The site."),
    start_date: date("The first date."),
    end_date: date("The last date."),
    db_records_deleted: count("Deleted events."),
    parquet_partitions_deleted: count("Dates whose files were removed."),
  }),
};

const OPERATIONS = {
  "DELETE /api/gdpr/erase": {
    operationId: "eraseEvents",
    summary: "Deletes all events of a site in a date range permanently",
    description: "Succeeds if there is nothing to delete. Events that arrive meanwhile are deleted or kept.",
    parameters: [SITE, ...documented(PARAMETERS)],
    answers: {
      200: answer("The events are deleted from all reports, and no restart or crash brings them back.", "Erased"),
    },
    refusals: {
      invalid_input: "A parameter is missing or breaks its rule.",
      request_timeout: "The deletion exceeded the time limit and continues. Repeat the request to get its outcome.",
      unavailable: "Storage could not be read or changed. Some events may be deleted and others not. Repeat the request.",
    },
  },
} satisfies Operations;

export const ERASURE_API = { tag: "Erasure", schemas: SCHEMAS, operations: OPERATIONS } as const;
