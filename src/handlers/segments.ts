/** GET, POST, PUT and DELETE /api/segments: saved filters, funnels and sequences of a site (docs/http-api.md, "Segments"). */
import { SEGMENTS_MAX, SEGMENT_CHARS_MAX } from "../runtime/base/config/admin-limits.ts";
import { invalidInput } from "../runtime/base/errors.ts";
import { closed, list, orNull, text } from "../runtime/base/json-schema.ts";
import { funnel } from "../runtime/reports/funnel.ts";
import { main } from "../runtime/reports/main.ts";
import type { Report } from "../runtime/reports/report.ts";
import { sequences } from "../runtime/reports/sequences.ts";
import { scopeJson } from "../runtime/sites/item-fields.ts";
import {
  parseSegment,
  SAVED_PARAMETERS,
  type Segment,
  type SegmentFields,
  type SegmentKind,
  SEGMENT_KINDS,
} from "../runtime/sites/segment.ts";
import type { SiteId } from "../storage/event.ts";
import { askerOf } from "./access.ts";
import { itemHandlers, listedItems, readSite, ID, CREATED_AT, ITEM_SCOPE, itemOperations } from "./items.ts";
import { jsonReply } from "./reply.ts";
import type { Context, Handler } from "./route.ts";
import { ITEM_NAME_CHARS_MAX } from "../shared/limits.ts";

const described = ({ id, createdAt, fields: { name, kind, parameters, owner } }: Segment) => ({
  id,
  name,
  scope: scopeJson(owner),
  kind,
  ...Object.fromEntries(SAVED_PARAMETERS.map((parameter) => [parameter, parameters[parameter] ?? null])),
  created_at: createdAt,
});

/** The report that takes the parameters of each kind. */
const REPORT_OF: Readonly<Record<SegmentKind, Report>> = { filters: main, funnel, sequence: sequences };

/** 400 for parameters that their report would refuse. */
async function check({ kind, parameters }: SegmentFields, siteId: SiteId, context: Context): Promise<void> {
  if (kind === "filters" && !parameters["filters"]) throw invalidInput('Field "filters" must have at least one condition');
  const { reader, services } = context;
  const { conditions } = await REPORT_OF[kind].prepare((name) => (name === "site_id" ? siteId : (parameters[name] ?? null)), reader);
  await services.filterCheck.check(conditions, askerOf(context));
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

const saved = (description: string) => orNull(text(description, { maxLength: SEGMENT_CHARS_MAX }));

const SEGMENT = {
  name: text("What the dashboard calls it.", { minLength: 1, maxLength: ITEM_NAME_CHARS_MAX }),
  scope: ITEM_SCOPE,
  kind: text("What it saves.", { enum: SEGMENT_KINDS }),
  filters: saved("Conditions as in the parameter `filters`; null for other kinds."),
  steps: saved("As in a funnel or in sequences; null without them."),
  window: saved("As in a funnel; null without it."),
  modes: saved("As in a funnel; null without them."),
  pattern: saved("As in sequences; null without it."),
  conditions: saved("As in sequences; null without them."),
};

const SITE_SEGMENT = closed({ id: ID, ...SEGMENT, created_at: CREATED_AT });

const SCHEMAS = {
  SiteSegment: SITE_SEGMENT,
  SiteSegments: list("In the order in which they were made.", SITE_SEGMENT, { maxItems: SEGMENTS_MAX }),
  NewSegment: closed(
    { ...SEGMENT, id: ID, created_at: CREATED_AT },
    { optional: ["scope", "kind", ...SAVED_PARAMETERS, "id", "created_at"] },
  ),
};

const OPERATIONS = itemOperations({
  path: "/api/segments",
  idName: "segment_id",
  tag: "Segments",
  names: { list: "SiteSegments", one: "SiteSegment", body: "NewSegment" },
  nouns: { one: "segment", many: "segments", ids: "Segment", list: "Segments" },
  parameters: [],
});

export const SEGMENTS_API = { schemas: SCHEMAS, operations: OPERATIONS };
