/** GET, POST, PUT and DELETE /api/segments: saved filters, funnels and sequences of a site (docs/http-api.md, "Segments"). */
import { SEGMENTS_MAX } from "../runtime/base/config/admin-limits.ts";
import { invalidInput } from "../runtime/base/errors.ts";
import { list } from "../runtime/base/json-schema.ts";
import { funnel } from "../runtime/reports/funnel.ts";
import { main } from "../runtime/reports/main.ts";
import type { Report } from "../runtime/reports/report.ts";
import { sequences } from "../runtime/reports/sequences.ts";
import { scopeJson } from "../runtime/sites/item-fields.ts";
import { parseSegment, SAVED_PARAMETERS, type Segment, type SegmentFields, type SegmentKind, SEGMENT } from "../runtime/sites/segment.ts";
import type { SiteId } from "../storage/event.ts";
import { askerOf } from "./access.ts";
import { itemHandlers, listedItems, readSite, itemOperations } from "./items.ts";
import { jsonReply } from "./http.ts";
import type { Context, Handler } from "./route.ts";

const described = ({ id, createdAt, fields: { name, kind, parameters, owner } }: Segment) => ({
  id,
  name,
  scope: scopeJson(owner),
  kind,
  ...Object.fromEntries(SAVED_PARAMETERS.map((parameter) => [parameter, parameters[parameter] ?? null])),
  created_at: createdAt,
});

const REPORT_OF: Readonly<Record<SegmentKind, Report>> = { filters: main, funnel, sequence: sequences };

/** 400 for parameters that their report would refuse. */
async function check({ kind, parameters }: SegmentFields, siteId: SiteId, context: Context): Promise<void> {
  if (kind === "filters" && !parameters["filters"]) throw invalidInput('Field "filters" must have at least one condition');
  const { reader, services } = context;
  const { query } = await REPORT_OF[kind].prepare((name) => (name === "site_id" ? siteId : (parameters[name] ?? null)), reader);
  await services.filterCheck.check(query.scope.conditions, askerOf(context));
}

export const getSegments: Handler = (request, context) =>
  jsonReply(listedItems(context.services.segments, readSite(context), request, context).map(described));

export const {
  postItem: postSegment,
  putItem: putSegment,
  deleteItem: deleteSegment,
} = itemHandlers({
  idName: "segment_id",
  collectionOf: ({ segments }) => segments,
  async parse(body, { caller, siteId, context }) {
    const fields = parseSegment(body, caller);
    await check(fields, siteId, context);
    return fields;
  },
  described,
});

// Description in the OpenAPI document

const SCHEMAS = {
  SiteSegment: SEGMENT.responseSchema,
  SiteSegments: list("In the order in which they were made.", SEGMENT.responseSchema, { maxItems: SEGMENTS_MAX }),
  NewSegment: SEGMENT.schema,
};

export const SEGMENTS_API = { tag: "Segments", schemas: SCHEMAS, operations: itemOperations("Segment", []) } as const;
