/** A site's own rules: visits that its figures leave out, while a rule is applied (docs/http-api.md, "Rules of a site"). */
import { isLocalDate, type LocalDate } from "../../storage/event.ts";
import type { JsonObject } from "../../storage/record-store.ts";
import { Body, flagField, refusedField, required, textField, withDefault } from "../base/body.ts";
import { RULES_MAX, RULE_CHARS_MAX } from "../base/config/admin-limits.ts";
import { invalidInput } from "../base/errors.ts";
import { boolean, orNull, text } from "../base/json-schema.ts";
import type { CollectionKind, Item } from "./collection.ts";
import { ITEM_RESPONSE_FIELDS, nameField } from "./item-fields.ts";

/** The visits of a rule. */
export interface RuleText {
  /** Written as in requests: an event that meets all conditions makes its visit one of the rule. */
  readonly filters: string;
  /** Dates of the site's calendar, both included, for the first event of a visit; null without a bound. */
  readonly firstDate: LocalDate | null;
  readonly lastDate: LocalDate | null;
  /** Whether visits that show proof of a person stay. */
  readonly sparesPeople: boolean;
}

export interface RuleFields extends RuleText {
  readonly name: string;
  readonly isApplied: boolean;
}

export type SiteRule = Item<RuleFields>;

const dateField = (description: string) =>
  textField(orNull(text(description, { format: "date" })), (date, name) => {
    if (isLocalDate(date)) return date;
    throw refusedField(name, "a real calendar date in the form YYYY-MM-DD", date);
  });

export const RULE_FILTERS = textField(text("Conditions as in the parameter `filters`, at least one.", { maxLength: RULE_CHARS_MAX }));

/** All but the filters. */
export const RULE_BOUNDS = {
  first_date: dateField("The first date of the visits, in the site's calendar; null for all before."),
  last_date: dateField("The last one, inclusive; null for all after."),
  spares_people: withDefault(flagField(boolean("Whether visits that show proof of a person stay.")), true),
};

export const RULE = new Body(
  {
    name: nameField("What the dashboard calls it."),
    filters: required(RULE_FILTERS),
    ...RULE_BOUNDS,
    is_applied: withDefault(flagField(boolean("Whether the visits are left out.")), true),
  },
  { ...ITEM_RESPONSE_FIELDS, changed_at: text("When it was last changed.", { format: "date-time" }) },
);

/** 422 for a field of the wrong type, 400 for one that breaks its rule or is unknown. The conditions are not checked. */
export const parseRule = (body: JsonObject): RuleFields => ruleOf(RULE.parse(body));

type RuleValues = ReturnType<typeof RULE.parse>;

/** 400 without a condition, and for dates of which the last is the earlier one. */
export function ruleTextOf(values: Omit<RuleValues, "name" | "is_applied">): RuleText {
  const { filters, first_date: firstDate, last_date: lastDate, spares_people: sparesPeople } = values;
  if (filters === "") throw invalidInput('Field "filters" must have at least one condition');
  if (firstDate !== null && lastDate !== null && firstDate > lastDate)
    throw invalidInput('Field "first_date" must not be after "last_date"');
  return { filters, firstDate, lastDate, sparesPeople };
}

const ruleOf = (values: RuleValues): RuleFields => ({ name: values.name, ...ruleTextOf(values), isApplied: values.is_applied });

/** The input of `parseRule`. */
export const ruleJson = ({ name, filters, firstDate, lastDate, sparesPeople, isApplied }: RuleFields) => ({
  name,
  filters,
  first_date: firstDate,
  last_date: lastDate,
  spares_people: sparesPeople,
  is_applied: isApplied,
});

export const appliedOf = (rules: readonly SiteRule[]): readonly RuleFields[] =>
  rules.flatMap(({ fields }) => (fields.isApplied ? [fields] : []));

export const RULE_KIND: CollectionKind<RuleFields> = {
  name: "rules",
  itemsMax: RULES_MAX,
  json: ruleJson,
  parse: (json) => ruleOf(RULE.check(RULE.read(json))),
};
