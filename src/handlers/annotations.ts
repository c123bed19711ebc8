/** GET, POST, PUT and DELETE /api/annotations: texts about dates and hours of a site (docs/http-api.md, "Annotations"). */
import { ANNOTATIONS_MAX } from "../runtime/base/config/admin-limits.ts";
import { list } from "../runtime/base/json-schema.ts";
import { type DateRange, parseDateRange } from "../runtime/query/date-range.ts";
import { dateParameter, SCOPE_PARAMETERS } from "../runtime/query/scope.ts";
import { byMoment, momentAt, parseAnnotation, type Annotation, ANNOTATION } from "../runtime/sites/annotation.ts";
import { scopeJson } from "../runtime/sites/item-fields.ts";
import { LONG_RANGE_DAYS_MAX } from "../shared/limits.ts";
import type { SiteId } from "../storage/event.ts";
import { itemHandlers, listedItems, readSite, itemOperations } from "./items.ts";
import { documented } from "./openapi/operation.ts";
import { jsonReply, Query } from "./http.ts";
import type { Context, Handler } from "./route.ts";

/** All optional: annotations of all dates are listed by default. */
const ANNOTATION_DATES = {
  period: SCOPE_PARAMETERS.period,
  start_date: SCOPE_PARAMETERS.start_date,
  end_date: dateParameter(`The last date, inclusive. Requires \`start_date\`; at most ${LONG_RANGE_DAYS_MAX} days.`, "2026-01-31"),
};

/** null for all dates. */
function wantedDates(siteId: SiteId, { services, nowMs, url }: Context): DateRange | null {
  const { period, start_date: startDate, end_date: endDate } = new Query(url).parse(ANNOTATION_DATES);
  if ((startDate ?? endDate) === null && (period ?? "all") === "all") return null;
  const today = services.sites.calendarOf(siteId).dateOf(nowMs);
  // With a `firstDay`, the message about an unknown period lists `all`.
  return parseDateRange({ period, startDate, endDate }, { today, firstDay: null }, LONG_RANGE_DAYS_MAX);
}

const described = ({ id, createdAt, fields: { owner, ...annotation } }: Annotation) => ({
  id,
  ...annotation,
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

/** An absent date means the current hour for a new annotation, and no change for an existing one. */
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

// Description in the OpenAPI document

const SCHEMAS = {
  SiteAnnotation: ANNOTATION.responseSchema,
  SiteAnnotations: list("By date and hour.", ANNOTATION.responseSchema, { maxItems: ANNOTATIONS_MAX }),
  NewAnnotation: ANNOTATION.schema,
};

export const ANNOTATIONS_API = {
  tag: "Annotations",
  schemas: SCHEMAS,
  operations: itemOperations("Annotation", documented(ANNOTATION_DATES)),
} as const;
