/** The goals of a site: what an event has to be for each, and the rules of their fields (docs/goals.md). */
import type { JsonObject } from "../../storage/json-record.ts";
import { fieldOf, isObject, malformedBody, optionalFlag, optionalText, requiredText } from "../base/config/json-fields.ts";
import { GOALS_MAX, GOAL_PROPERTY_CHARS_MAX } from "../base/config/admin-limits.ts";
import { EVENT_NAME_CHARS_MAX } from "../base/config/limits.ts";
import { STEP_CHARS_MAX } from "../base/config/report-limits.ts";
import { invalidInput } from "../base/errors.ts";
import type { CollectionKind, FieldsById, Item } from "./collection.ts";
import { checkedText, parseItemName, refuseUnknownItemFields } from "./item-fields.ts";

export interface GoalProperty {
  readonly key: string;
  readonly value: string;
}

/** The definition of a matching event. Two goals with equal definitions count the same, whatever their names are. */
export type Goal =
  | {
      /** A path, where `*` matches any characters. */
      readonly page: string;
    }
  | {
      /** The name of an event. */
      readonly event: string;
      /** The value that a property of the event must have; null for any event of the name. */
      readonly property: GoalProperty | null;
    };

export interface GoalFields {
  /** Unique in its site. */
  readonly name: string;
  readonly goal: Goal;
  /** The revenue of its events is reported. */
  readonly hasRevenue: boolean;
  /** Goals are listed by ascending positions, which may be fractions: a goal that is moved leaves those of the others alone. */
  readonly position: number;
}

export type SiteGoal = Item<GoalFields>;

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

/** The fields of a goal without its place among the others. */
export type PlacelessGoal = Omit<GoalFields, "position">;

/** 422 for a field of the wrong type, 400 for one that breaks its rule or is unknown. */
export function parseGoal(body: JsonObject): PlacelessGoal {
  refuseUnknownItemFields(body, GOAL_FIELDS);
  const goal = parseDefinition(body);
  const hasRevenue = optionalFlag(body, "revenue") ?? false;
  if (hasRevenue && "page" in goal) throw invalidInput('Field "revenue" needs the field "event"');
  return { name: parseItemName(body), goal, hasRevenue };
}

/** The input of `parseGoal`. */
export const goalJson = ({ name, goal, hasRevenue }: PlacelessGoal) => ({
  name,
  page: "page" in goal ? goal.page : null,
  event: "event" in goal ? goal.event : null,
  property: "event" in goal ? goal.property : null,
  revenue: hasRevenue,
});

const GOAL_FIELDS = ["name", "page", "event", "property", "revenue", "position"];

/** The place of a goal, from 1; null if it is not given. 400 for anything else. */
export function parsePosition(body: JsonObject): number | null {
  const position = fieldOf(body, "position");
  if (position !== null && typeof position !== "number") throw malformedBody('Field "position" must be a number');
  if (position === null || (Number.isInteger(position) && position >= 1 && position <= GOALS_MAX)) return position;
  throw invalidInput(`Field "position" must be an integer from 1 to ${GOALS_MAX}`);
}

function storedGoal(json: JsonObject): GoalFields {
  const { position } = json;
  if (!Number.isFinite(position)) throw new Error("a goal has no position");
  return { ...parseGoal(json), position: position as number };
}

export const GOAL_KIND: CollectionKind<GoalFields> = {
  name: "goals",
  itemsMax: GOALS_MAX,
  json: (fields) => ({ ...goalJson(fields), position: fields.position }),
  parse: storedGoal,
};

/** Sorts in the order of the site. */
export const inOrder = (goals: readonly SiteGoal[]): SiteGoal[] =>
  goals.toSorted((a, b) => a.fields.position - b.fields.position || (a.id < b.id ? -1 : 1));

/** The goal of that name; without one, events of that name. Two nodes may have given a name at the same time: the first goal has it. */
export function goalNamed(goals: readonly SiteGoal[], name: string): Goal {
  return inOrder(goals).find(({ fields }) => fields.name === name)?.fields.goal ?? { event: name, property: null };
}

/** A position between those of two neighbors in the list; null if there is none. */
function positionBetween(before: SiteGoal | undefined, after: SiteGoal | undefined): number | null {
  const low = before?.fields.position ?? (after?.fields.position ?? 2) - 2;
  const high = after?.fields.position ?? low + 2;
  const middle = (low + high) / 2;
  return low < middle && middle < high ? middle : null;
}

/**
 * The changes when a goal gets these fields, and this place; by default it keeps its own, and a new one is the last. 400 if another goal
 * has the name. Others change only if there is no position left at the place: another node may change or remove them at the same time.
 */
export function goalsWith(goals: readonly SiteGoal[], id: string, fields: PlacelessGoal, place: number | null): FieldsById<GoalFields> {
  const ordered = inOrder(goals);
  const others = ordered.filter((goal) => goal.id !== id);
  if (others.some((other) => other.fields.name === fields.name))
    throw invalidInput(`There is another goal of the name ${JSON.stringify(fields.name)}`);
  const index = Math.min(place ?? ordered.length + 1, others.length + 1) - 1;
  const before = goals.find((goal) => goal.id === id);
  const stays = before && (place === null || ordered[index] === before);
  const position = stays ? before.fields.position : positionBetween(others[index - 1], others[index]);
  if (position !== null) return new Map([[id, { ...fields, position }]]);
  const after = others.map((goal): [string, PlacelessGoal] => [goal.id, goal.fields]);
  after.splice(index, 0, [id, fields]);
  return new Map(after.map(([each, of], i) => [each, { ...of, position: i + 1 }]));
}
