/** DELETE /api/gdpr/erase: a site's events of a range of dates (docs/http-api.md, "Data deletion"). */
import { ERASURE_WAIT_SHARE } from "../runtime/base/config/clickhouse-limits.ts";
import { AppError, invalidInput, storageUnavailable } from "../runtime/base/errors.ts";
import { parseDates } from "../runtime/query/date-range.ts";
import { optional, required } from "../runtime/query/parameters.ts";
import { SCOPE_PARAMETERS } from "../runtime/query/scope-parameters.ts";
import { requireAdminOf } from "./access.ts";
import type { Handler } from "./context.ts";
import { Query } from "./query.ts";
import { jsonReply } from "./reply.ts";

const SITE = { site_id: SCOPE_PARAMETERS.site_id };

/** Both dates are required: there is no default range. */
const PARAMETERS = {
  start_date: required(SCOPE_PARAMETERS.start_date, (date) => date),
  end_date: required(SCOPE_PARAMETERS.end_date, (date) => date),
  filters: SCOPE_PARAMETERS.filters,
  segment: optional(SCOPE_PARAMETERS.segment, (id) => id),
};

export const deleteEvents: Handler = async (_request, context) => {
  const { services, beganMs, url } = context;
  const query = new Query(url);
  const { site_id: siteId } = query.parse(SITE);
  requireAdminOf(siteId, context);
  const { start_date: startDate, end_date: endDate, filters, segment } = query.parse(PARAMETERS);
  const { firstDay, lastDay } = parseDates({ name: "start_date", value: startDate }, { name: "end_date", value: endDate });
  // A caller who wants to delete a part must not lose everything.
  if (segment !== null) throw invalidInput('"segment" does not narrow an erasure: it is of all events of its dates');
  if (filters.length > 0) throw invalidInput('"filters" do not narrow an erasure: it is of all events of its dates');
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
