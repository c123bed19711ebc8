/** The goals of a site: the events that meet them, and the rules of their fields (docs/goals.md). */
import type { JsonObject } from "../../storage/record-store.ts";
import { Body, field, flagField, integerField, isObject, refusedField, required, visibleField, withDefault } from "../base/body.ts";
import { GOALS_MAX, GOAL_PROPERTY_CHARS_MAX } from "../base/config/admin-limits.ts";
import { EVENT_NAME_CHARS_MAX } from "../base/config/limits.ts";
import { STEP_CHARS_MAX } from "../base/config/report-limits.ts";
import { invalidInput } from "../base/errors.ts";
import { boolean, count, orNull, text } from "../base/json-schema.ts";
import type { CollectionKind, FieldsById, Item } from "./collection.ts";
import { ITEM_RESPONSE_FIELDS, nameField } from "./item-fields.ts";

interface GoalProperty {
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
      readonly event: string;
      /** The value that a property of the event must have; null for any event of the name. */
      readonly property: GoalProperty | null;
    };

export interface GoalFields {
  /** Unique in its site. */
  readonly name: string;
  readonly goal: Goal;
  readonly hasRevenue: boolean;
  /** Goals are listed by ascending positions, which may be fractions: a goal that is moved leaves those of the others alone. */
  readonly position: number;
}

export type SiteGoal = Item<GoalFields>;

/** The property that a goal on an event may ask for. */
const GOAL_PROPERTY = new Body(
  {
    key: required(visibleField(text("The key of a custom property.", { minLength: 1, maxLength: GOAL_PROPERTY_CHARS_MAX }))),
    value: required(
      visibleField(text("The value that it must have, as reports show it.", { minLength: 1, maxLength: GOAL_PROPERTY_CHARS_MAX })),
    ),
  },
  {},
);

const PREFIX = "property.";

export const GOAL = new Body(
  {
    name: nameField("What the dashboard calls it. Unique in the site."),
    page: visibleField(
      orNull(
        text("The path of a page, where `*` matches any characters; null for an event.", { pattern: "^[/*]", maxLength: STEP_CHARS_MAX }),
      ),
    ),
    event: visibleField(orNull(text("The name of an event; null for a page.", { minLength: 1, maxLength: EVENT_NAME_CHARS_MAX }))),
    property: field(
      { ...GOAL_PROPERTY.schema, type: ["object", "null"], description: "What the event must have; null for any event of the name." },
      'an object with "key" and "value"',
      (value) => (isObject(value) ? GOAL_PROPERTY.read(value, PREFIX) : undefined),
      (sent): GoalProperty => GOAL_PROPERTY.check(sent, PREFIX),
    ),
    revenue: withDefault(flagField(boolean("Whether the revenue of its events is reported.")), false),
    position: integerField(count("Its place in the list.", { minimum: 1, maximum: GOALS_MAX })),
  },
  ITEM_RESPONSE_FIELDS,
);

type PlacelessGoal = Omit<GoalFields, "position">;

/** `place` counts from 1; null if it is not given. 422 for a field of the wrong type, 400 for one that breaks its rule or is unknown. */
export function parseGoal(body: JsonObject): { readonly fields: PlacelessGoal; readonly place: number | null } {
  const { position, ...values } = GOAL.parse(body);
  return { fields: goalOf(values), place: position };
}

function goalOf({ name, page, event, property, revenue }: Omit<ReturnType<typeof GOAL.parse>, "position">): PlacelessGoal {
  if (page !== null && !/^[/*]/.test(page)) throw refusedField("page", 'a path that begins with "/", or with the wildcard "*"', page);
  if ((page === null) === (event === null)) throw invalidInput('A goal has either a field "page" or a field "event"');
  if (event === null && property !== null) throw invalidInput('Field "property" needs the field "event"');
  if (event === null && revenue) throw invalidInput('Field "revenue" needs the field "event"');
  const goal: Goal = event === null ? { page: page ?? "" } : { event, property };
  return { name, goal, hasRevenue: revenue };
}

/** The input of `parseGoal`. */
export const goalJson = ({ name, goal, hasRevenue }: PlacelessGoal) => ({
  name,
  page: "page" in goal ? goal.page : null,
  event: "event" in goal ? goal.event : null,
  property: "event" in goal ? goal.property : null,
  revenue: hasRevenue,
});

function storedGoal({ position, ...json }: JsonObject): GoalFields {
  if (!Number.isFinite(position)) throw new Error("a goal has no position");
  return { ...goalOf(GOAL.check(GOAL.read(json))), position: position as number };
}

export const GOAL_KIND: CollectionKind<GoalFields> = {
  name: "goals",
  itemsMax: GOALS_MAX,
  json: (fields) => ({ ...goalJson(fields), position: fields.position }),
  parse: storedGoal,
};

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
