/** Describes goals, segments and annotations (docs/http-api.md, "Goals of a site", "Segments" and "Annotations"). */
import {
  ANNOTATIONS_MAX,
  ANNOTATION_CHARS_MAX,
  GOALS_MAX,
  GOAL_PROPERTY_CHARS_MAX,
  ITEM_NAME_CHARS_MAX,
  SEGMENTS_MAX,
  SEGMENT_CHARS_MAX,
} from "../../runtime/base/config/admin-limits.ts";
import { EVENT_NAME_CHARS_MAX } from "../../runtime/base/config/limits.ts";
import { STEP_CHARS_MAX } from "../../runtime/base/config/report-limits.ts";
import { boolean, closed, count, list, orNull, text } from "../../runtime/query/json-schema.ts";
import { HOUR_MAX } from "../../runtime/sites/annotation.ts";
import { ITEM_SCOPES } from "../../runtime/sites/item-fields.ts";
import { SAVED_PARAMETERS, SEGMENT_KINDS } from "../../runtime/sites/segment.ts";
import { ANNOTATION_DATES } from "../annotations.ts";
import { OWNERS } from "../collections.ts";
import { BODY_REFUSALS, jsonContent } from "./json-content.ts";
import type { Operation, Parameter } from "./operation.ts";
import { documented, SITE } from "./parameters.ts";
import { TOO_MANY_VIEWS } from "./shares.ts";

const ID = text("Identifies it.", { pattern: "^[0-9a-f]{32}$" });
const CREATED_AT = text("When it was made.", { format: "date-time" });
const NAME = text("What the dashboard calls it. Unique in the site.", { minLength: 1, maxLength: ITEM_NAME_CHARS_MAX });

const GOAL_PROPERTY = closed({
  key: text("The key of a custom property.", { minLength: 1, maxLength: GOAL_PROPERTY_CHARS_MAX }),
  value: text("The value that it must have, as reports show it.", { minLength: 1, maxLength: GOAL_PROPERTY_CHARS_MAX }),
});

const GOAL = {
  name: NAME,
  page: orNull(
    text("The path of a page, where `*` matches any characters; null for an event.", {
      pattern: "^[/*]",
      maxLength: STEP_CHARS_MAX,
    }),
  ),
  event: orNull(text("The name of an event; null for a page.", { minLength: 1, maxLength: EVENT_NAME_CHARS_MAX })),
  property: {
    ...GOAL_PROPERTY,
    type: ["object", "null"],
    description: "What the event must have; null for any event of the name.",
  } as const,
  revenue: boolean("Whether the revenue of its events is reported."),
  position: count("Its place in the list.", { minimum: 1, maximum: GOALS_MAX }),
};

const SITE_GOAL = closed({ id: ID, ...GOAL, created_at: CREATED_AT });

const SCOPE = text("Whose it is. `oneself`: of the browser or API key that made it.", { enum: ITEM_SCOPES });

const saved = (description: string) => orNull(text(description, { maxLength: SEGMENT_CHARS_MAX }));

const SEGMENT = {
  name: text("What the dashboard calls it.", { minLength: 1, maxLength: ITEM_NAME_CHARS_MAX }),
  scope: SCOPE,
  kind: text("What it saves.", { enum: SEGMENT_KINDS }),
  filters: saved("Conditions as in the parameter `filters`; null for other kinds."),
  steps: saved("As in a funnel or in sequences; null without them."),
  window: saved("As in a funnel; null without it."),
  modes: saved("As in a funnel; null without them."),
  pattern: saved("As in sequences; null without it."),
  conditions: saved("As in sequences; null without them."),
};

const SITE_SEGMENT = closed({ id: ID, ...SEGMENT, created_at: CREATED_AT });

const ANNOTATION = {
  date: text("A date of the site's calendar.", { format: "date" }),
  hour: orNull(count("What the site's clock showed; null for the whole day.", { maximum: HOUR_MAX })),
  text: text("What happened.", { minLength: 1, maxLength: ANNOTATION_CHARS_MAX }),
  scope: SCOPE,
};

const SITE_ANNOTATION = closed({ id: ID, ...ANNOTATION, created_at: CREATED_AT });

export const COLLECTION_SCHEMAS = {
  SiteSegment: SITE_SEGMENT,
  SiteSegments: list("In the order in which they were made.", SITE_SEGMENT, { maxItems: SEGMENTS_MAX }),
  NewSegment: closed(
    { ...SEGMENT, id: ID, created_at: CREATED_AT },
    { optional: ["scope", "kind", ...SAVED_PARAMETERS, "id", "created_at"] },
  ),
  SiteAnnotation: SITE_ANNOTATION,
  SiteAnnotations: list("By date and hour.", SITE_ANNOTATION, { maxItems: ANNOTATIONS_MAX }),
  NewAnnotation: closed({ ...ANNOTATION, id: ID, created_at: CREATED_AT }, { optional: ["date", "hour", "scope", "id", "created_at"] }),
  SiteGoal: SITE_GOAL,
  SiteGoals: list("In the order of the site.", SITE_GOAL, { maxItems: GOALS_MAX }),
  NewGoal: closed(
    { ...GOAL, id: ID, created_at: CREATED_AT },
    { optional: ["page", "event", "property", "revenue", "position", "id", "created_at"] },
  ),
  Deleted: closed({ status: text("Constant.", { const: "deleted" }) }),
};

const { answer, body } = jsonContent<keyof typeof COLLECTION_SCHEMAS>();

const idParameter = (name: string, description: string): Parameter => ({
  name,
  in: "path",
  description,
  required: true,
  schema: ID,
  example: "0123456789abcdef0123456789abcdef",
});

const LIST_REFUSALS = { invalid_input: "`site_id` is missing or no site id.", too_many_requests: TOO_MANY_VIEWS } as const;

const CHANGE_REFUSALS = {
  invalid_input: "`site_id` is missing or no site id.",
  too_many_requests: "Too many changes are waiting to be stored.",
  request_timeout: "The change was not stored within the time limit. It may be stored later.",
  unavailable: "The change could not be stored, and nothing is changed; try again.",
} as const;

const NOT_FOUND = { not_found: "The site has none with this id." } as const;
const NOT_OWNED = { not_found: "The site has none with this id, or it is somebody else's." } as const;

const GOAL_BODY_REFUSALS = {
  ...BODY_REFUSALS,
  invalid_input:
    "`site_id` is no site id, the body is not JSON, a field is unknown or breaks its rule, the name is taken, or the site has the maximum number.",
} as const;

const ITEM_BODY_REFUSALS = {
  ...BODY_REFUSALS,
  invalid_input:
    "A parameter or the header `X-Owner` is invalid, the body is not JSON, a field is unknown or breaks its rule, or the site has the maximum number.",
} as const;

const GOAL_ID = idParameter("goal_id", "The id of the goal.");

/** A browser's secret, by which it is known again. */
const OWNER: Parameter = {
  name: "X-Owner",
  in: "header",
  description: "A random text by which a browser is known: entries for oneself are those that were made with the same one, or API key.",
  schema: text("Of which only a hash is stored.", { minLength: 22, maxLength: 128, pattern: "^[A-Za-z0-9_-]+$" }),
  example: "0123456789abcdefghij_-",
};

interface OwnedItems<Path extends string, IdName extends string> {
  readonly path: Path;
  readonly idName: IdName;
  readonly tag: Operation["tag"];
  readonly names: Readonly<Record<"list" | "one" | "body", keyof typeof COLLECTION_SCHEMAS>>;
  /** `ids` and `list` are parts of operation ids. */
  readonly nouns: Readonly<Record<"one" | "many" | "ids" | "list", string>>;
  /** Of the list. */
  readonly parameters: readonly Parameter[];
}

type ItemRoutes<Path extends string, IdName extends string> = Readonly<
  Record<`${"GET" | "POST"} ${Path}` | `${"PUT" | "DELETE"} ${Path}/:${IdName}`, Operation>
>;

/** The routes of items that are everybody's or one's own. */
function itemOperations<const Path extends string, const IdName extends string>({
  path,
  idName,
  tag,
  names,
  nouns: { one, many, ids, list: listId },
  parameters,
}: OwnedItems<Path, IdName>): ItemRoutes<Path, IdName> {
  const id = idParameter(idName, `The id of the ${one}.`);
  const refusals = { ...CHANGE_REFUSALS, ...ITEM_BODY_REFUSALS };
  const operations: Readonly<Record<string, Operation>> = {
    [`GET ${path}`]: {
      operationId: `list${listId}`,
      tag,
      summary: `Lists the ${many} of a site`,
      description: "Those for everybody, and the caller's own.",
      parameters: [SITE, ...parameters, ...documented(OWNERS), OWNER],
      answers: { 200: answer(`The ${many}.`, names.list) },
      refusals: { ...LIST_REFUSALS, invalid_input: "A parameter or the header `X-Owner` is invalid." },
    },
    [`POST ${path}`]: {
      operationId: `create${ids}`,
      tag,
      summary: `Adds one of the ${many} of a site`,
      parameters: [SITE, OWNER],
      requestBody: body(names.body),
      answers: { 201: answer(`The ${one}, which is stored.`, names.one) },
      refusals,
    },
    [`PUT ${path}/:${idName}`]: {
      operationId: `put${ids}`,
      tag,
      summary: `Replaces one of the ${many} of a site`,
      parameters: [id, SITE, OWNER],
      requestBody: body(names.body),
      answers: { 200: answer(`The ${one}, which is stored.`, names.one) },
      refusals: { ...refusals, ...NOT_OWNED },
    },
    [`DELETE ${path}/:${idName}`]: {
      operationId: `delete${ids}`,
      tag,
      summary: `Removes one of the ${many} of a site, whosever it is`,
      parameters: [id, SITE],
      answers: { 200: answer("The site no longer has it.", "Deleted") },
      refusals: { ...CHANGE_REFUSALS, ...NOT_FOUND },
    },
  };
  return operations as ItemRoutes<Path, IdName>;
}

export const COLLECTION_OPERATIONS = {
  "GET /api/goals": {
    operationId: "listGoals",
    tag: "Goals",
    summary: "Lists the goals of a site",
    parameters: [SITE],
    answers: { 200: answer("The goals in their order.", "SiteGoals") },
    refusals: LIST_REFUSALS,
  },
  "POST /api/goals": {
    operationId: "createGoal",
    tag: "Goals",
    summary: "Adds a goal to a site",
    description: "It counts events from before, too. Without `position` it is the last one.",
    parameters: [SITE],
    requestBody: body("NewGoal"),
    answers: { 201: answer("The goal, which is stored.", "SiteGoal") },
    refusals: { ...CHANGE_REFUSALS, ...GOAL_BODY_REFUSALS },
  },
  "PUT /api/goals/:goal_id": {
    operationId: "putGoal",
    tag: "Goals",
    summary: "Replaces a goal, and moves it",
    description: "A field that is missing gets its default; without `position` the goal keeps its place. The id stays.",
    parameters: [GOAL_ID, SITE],
    requestBody: body("NewGoal"),
    answers: { 200: answer("The goal, which is stored.", "SiteGoal") },
    refusals: { ...CHANGE_REFUSALS, ...GOAL_BODY_REFUSALS, ...NOT_FOUND },
  },
  "DELETE /api/goals/:goal_id": {
    operationId: "deleteGoal",
    tag: "Goals",
    summary: "Removes a goal",
    description: "Events stay.",
    parameters: [GOAL_ID, SITE],
    answers: { 200: answer("The site no longer has the goal.", "Deleted") },
    refusals: { ...CHANGE_REFUSALS, ...NOT_FOUND },
  },
  ...itemOperations({
    path: "/api/segments",
    idName: "segment_id",
    tag: "Segments",
    names: { list: "SiteSegments", one: "SiteSegment", body: "NewSegment" },
    nouns: { one: "segment", many: "segments", ids: "Segment", list: "Segments" },
    parameters: [],
  }),
  ...itemOperations({
    path: "/api/annotations",
    idName: "annotation_id",
    tag: "Annotations",
    names: { list: "SiteAnnotations", one: "SiteAnnotation", body: "NewAnnotation" },
    nouns: { one: "annotation", many: "annotations", ids: "Annotation", list: "Annotations" },
    parameters: documented(ANNOTATION_DATES),
  }),
} satisfies Readonly<Record<string, Operation>>;
