/** The goals of a site: what an event has to be for each, and the rules of their fields (docs/goals.md). */
import type { JsonObject } from "../../storage/json-record.ts";
import { exceedsChars } from "../config/code-points.ts";
import { fieldOf, isObject, malformedBody, optionalFlag, optionalText, requiredText } from "../config/json-fields.ts";
import { GOALS_MAX, GOAL_PROPERTY_CHARS_MAX, ITEM_NAME_CHARS_MAX } from "../config/collection-limits.ts";
import { EVENT_NAME_CHARS_MAX } from "../config/limits.ts";
import { STEP_CHARS_MAX } from "../config/report-limits.ts";
import { invalidInput } from "../errors.ts";
import type { CollectionKind, Item } from "./collection-record.ts";

export interface GoalProperty {
  readonly key: string;
  readonly value: string;
}

/** What an event has to be. Two goals with equal definitions count the same, whatever their names are. */
export type Goal =
  | {
      /** A path, where `*` matches any characters. */
      readonly page: string;
    }
  | {
      /** The name of an event. */
      readonly event: string;
      /** Which value a property of the event must have; null for any event of the name. */
      readonly property: GoalProperty | null;
    };

export interface GoalFields {
  /** Unique in its site. */
  readonly name: string;
  readonly goal: Goal;
  /** Whether the revenue of its events is reported. */
  readonly hasRevenue: boolean;
  /** Goals are listed by ascending positions. */
  readonly position: number;
}

export type SiteGoal = Item<GoalFields>;

/** 400 for a text that is empty, or longer than its limit. */
function checkedText(field: string, text: string, charsMax: number): string {
  if (text.trim() !== "" && !exceedsChars(text, charsMax)) return text;
  throw invalidInput(`Field "${field}" must be 1 to ${charsMax} characters and not only spaces`);
}

function parsePage(page: string): Goal {
  if (!/^[/*]/.test(page)) throw invalidInput('Field "page" must be a path that begins with "/", or with the wildcard "*"');
  return { page: checkedText("page", page, STEP_CHARS_MAX) };
}

function parseProperty(body: JsonObject): GoalProperty | null {
  const property = fieldOf(body, "property");
  if (property === null) return null;
  if (!isObject(property)) throw malformedBody('Field "property" must be an object with "key" and "value"');
  const [key, value] = ["key", "value"].map((name) => requiredText(property, name)) as [string, string];
  return {
    key: checkedText("property.key", key, GOAL_PROPERTY_CHARS_MAX),
    value: checkedText("property.value", value, GOAL_PROPERTY_CHARS_MAX),
  };
}

function parseDefinition(body: JsonObject): Goal {
  const [page, event, property] = [optionalText(body, "page"), optionalText(body, "event"), parseProperty(body)];
  if ((page === null) === (event === null)) throw invalidInput('A goal has either a field "page" or a field "event"');
  if (page !== null && property !== null) throw invalidInput('Field "property" needs the field "event"');
  return event === null ? parsePage(page ?? "") : { event: checkedText("event", event, EVENT_NAME_CHARS_MAX), property };
}

/** 422 for a field of the wrong type, 400 for one that breaks its rule. */
export function parseGoal(body: JsonObject): Omit<GoalFields, "position"> {
  const goal = parseDefinition(body);
  const hasRevenue = optionalFlag(body, "revenue") ?? false;
  if (hasRevenue && "page" in goal) throw invalidInput('Field "revenue" needs the field "event"');
  return { name: checkedText("name", requiredText(body, "name"), ITEM_NAME_CHARS_MAX), goal, hasRevenue };
}

/** What `parseGoal` reads. */
export const goalJson = ({ name, goal, hasRevenue }: Omit<GoalFields, "position">) => ({
  name,
  page: "page" in goal ? goal.page : null,
  event: "event" in goal ? goal.event : null,
  property: "event" in goal ? goal.property : null,
  revenue: hasRevenue,
});

function parsePosition({ position }: JsonObject): number {
  if (!Number.isSafeInteger(position)) throw new Error("a goal has no position");
  return position as number;
}

export const GOAL_KIND: CollectionKind<GoalFields> = {
  name: "goals",
  itemsMax: GOALS_MAX,
  json: (fields) => ({ ...goalJson(fields), position: fields.position }),
  parse: (json) => ({ ...parseGoal(json), position: parsePosition(json) }),
};

/** In the order of the site. */
export const inOrder = (goals: readonly SiteGoal[]): SiteGoal[] =>
  goals.toSorted((a, b) => a.fields.position - b.fields.position || (a.id < b.id ? -1 : 1));

/** The goal of that name; without one, events of that name. */
export function goalNamed(goals: readonly SiteGoal[], name: string): Goal {
  const found = inOrder(goals).find(({ fields }) => fields.name === name);
  return found?.fields.goal ?? { event: name, property: null };
}
