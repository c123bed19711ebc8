/** GET, POST, PUT and DELETE /api/annotations: texts about dates and hours of a site (docs/http-api.md, "Annotations"). */
import { LONG_RANGE_DAYS_MAX } from "../runtime/base/config/report-limits.ts";
import { ALL, parseDateRange, type DateRange } from "../runtime/query/date-range.ts";
import { SCOPE_PARAMETERS, dateParameter } from "../runtime/query/scope-parameters.ts";
import { byMoment, momentAt, parseAnnotation, type Annotation } from "../runtime/sites/annotation.ts";
import { scopeJson } from "../runtime/sites/item-fields.ts";
import type { SiteId } from "../storage/event.ts";
import { itemHandlers, listedItems, readSite } from "./collections.ts";
import type { Context, Handler } from "./context.ts";
import { Query } from "./query.ts";
import { jsonReply } from "./reply.ts";

/** Without any of them, annotations of all dates. */
export const ANNOTATION_DATES = {
  period: SCOPE_PARAMETERS.period,
  start_date: SCOPE_PARAMETERS.start_date,
  end_date: dateParameter(`The last date, inclusive. Requires \`start_date\`; at most ${LONG_RANGE_DAYS_MAX} days.`, "2026-01-31"),
};

/** Null for all dates. */
function wantedDates(siteId: SiteId, { services, nowMs, url }: Context): DateRange | null {
  const { period, start_date: startDate, end_date: endDate } = new Query(url).parse(ANNOTATION_DATES);
  if ((startDate ?? endDate) === null && (period ?? ALL) === ALL) return null;
  const today = services.sites.calendarOf(siteId).dateOf(nowMs);
  // `all` is a period here, too, which the message about an unknown one says.
  return parseDateRange({ period, startDate, endDate }, { today, firstDay: null }, LONG_RANGE_DAYS_MAX);
}

const described = ({ id, createdAt, fields: { date, hour, text, owner } }: Annotation) => ({
  id,
  date,
  hour,
  text,
  scope: scopeJson(owner),
  created_at: createdAt,
});

export const getAnnotations: Handler = (request, context) => {
  const siteId = readSite(context);
  const annotations = listedItems(context.services.annotations, siteId, request, context);
  const range = wantedDates(siteId, context);
  const isWanted = ({ fields: { date } }: Annotation) => range === null || (date >= range.firstDay && date <= range.lastDay);
  return jsonReply(byMoment(annotations.filter(isWanted)).map(described));
};

/** Without a date, a new one is of the present hour, and a changed one stays where it is. */
export const {
  postItem: postAnnotation,
  putItem: putAnnotation,
  deleteItem: deleteAnnotation,
} = itemHandlers({
  idName: "annotation_id",
  collectionOf: ({ annotations }) => annotations,
  parse: (body, { caller, siteId, before, context: { services, nowMs } }) =>
    parseAnnotation(body, caller, before?.fields ?? momentAt(nowMs, services.sites.calendarOf(siteId))),
  described,
});
