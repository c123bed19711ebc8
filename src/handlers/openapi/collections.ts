/** Describes goals, segments and annotations (docs/http-api.md, "Goals of a site", "Segments" and "Annotations"). */
import { GOALS_MAX, GOAL_PROPERTY_CHARS_MAX, ITEM_NAME_CHARS_MAX } from "../../runtime/config/collection-limits.ts";
import { EVENT_NAME_CHARS_MAX } from "../../runtime/config/limits.ts";
import { STEP_CHARS_MAX } from "../../runtime/config/report-limits.ts";
import { boolean, closed, count, list, orNull, text } from "../../runtime/query/json-schema.ts";
import { BODY_REFUSALS, jsonContent } from "./json-content.ts";
import type { Operation, Parameter } from "./operation.ts";
import { SITE } from "./parameters.ts";
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

export const COLLECTION_SCHEMAS = {
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

const GOAL_BODY_REFUSALS = {
  ...BODY_REFUSALS,
  invalid_input:
    "`site_id` is no site id, the body is not JSON, a field is unknown or breaks its rule, the name is taken, or the site has the maximum number.",
} as const;

const GOAL_ID = idParameter("goal_id", "The id of the goal.");

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
} satisfies Readonly<Record<string, Operation>>;
