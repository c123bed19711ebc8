/** Saved filters of a site, which the API calls segments: filters, a funnel or a sequence under a name (docs/segments.md). */
import type { JsonObject } from "../../storage/record-store.ts";
import { SEGMENTS_MAX, SEGMENT_CHARS_MAX } from "../base/config/admin-limits.ts";
import { Body, isObject, textField, withDefault, wordField } from "../base/body.ts";
import { invalidInput } from "../base/errors.ts";
import { orNull, text, word } from "../base/json-schema.ts";
import type { CollectionKind, Item } from "./collection.ts";
import { ITEM_RESPONSE_FIELDS, nameField, ownerIn, SCOPE, storedOwner, type ItemOwner } from "./item-fields.ts";

/** The parameters that each kind saves, by which reports know them. */
const SEGMENT_PARAMETERS = {
  filters: ["filters"],
  funnel: ["steps", "window", "modes"],
  sequence: ["steps", "pattern", "conditions"],
} as const;

export type SegmentKind = keyof typeof SEGMENT_PARAMETERS;
const SEGMENT_KINDS = Object.keys(SEGMENT_PARAMETERS) as readonly SegmentKind[];

export const SAVED_PARAMETERS = [...new Set(Object.values(SEGMENT_PARAMETERS).flat())];

export interface SegmentFields {
  readonly name: string;
  readonly kind: SegmentKind;
  /** Written as in requests. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly owner: ItemOwner;
}

export type Segment = Item<SegmentFields>;

const saved = (description: string) => textField(orNull(text(description, { maxLength: SEGMENT_CHARS_MAX })));

export const SEGMENT = new Body(
  {
    name: nameField("What the dashboard calls it."),
    scope: SCOPE,
    kind: withDefault(wordField(word("What it saves.", SEGMENT_KINDS)), "filters"),
    filters: saved("Conditions as in the parameter `filters`; null for other kinds."),
    steps: saved("As in a funnel or in sequences; null without them."),
    window: saved("As in a funnel; null without it."),
    modes: saved("As in a funnel; null without them."),
    pattern: saved("As in sequences; null without it."),
    conditions: saved("As in sequences; null without them."),
  },
  ITEM_RESPONSE_FIELDS,
);

/** 422 for a field of the wrong type, 400 for one that breaks its rule, is unknown or is of another kind. Reports check the values of parameters. */
export const parseSegment = (body: JsonObject, caller: ItemOwner): SegmentFields => segmentOf(SEGMENT.parse(body), caller);

function segmentOf({ name, scope, kind, ...saves }: ReturnType<typeof SEGMENT.parse>, caller: ItemOwner): SegmentFields {
  const given = Object.entries(saves).filter((entry): entry is [string, string] => entry[1] !== null);
  const own: readonly string[] = SEGMENT_PARAMETERS[kind];
  const [foreign] = given.find(([parameter]) => !own.includes(parameter)) ?? [];
  if (foreign !== undefined) throw invalidInput(`Field "${foreign}": a segment of the kind "${kind}" has only ${own.join(", ")}`);
  return { name, kind, parameters: Object.fromEntries(given), owner: ownerIn(scope, caller) };
}

/** Ignores parameters that it does not know: a later version may have stored them. */
function storedSegment({ name, kind, parameters, owner }: JsonObject): SegmentFields {
  if (!isObject(parameters)) throw new Error("a segment has no parameters");
  const values = SEGMENT.check(SEGMENT.read({ ...parameters, name, kind }));
  return { ...segmentOf(values, null), owner: storedOwner(owner) };
}

export const SEGMENT_KIND: CollectionKind<SegmentFields> = {
  name: "segments",
  itemsMax: SEGMENTS_MAX,
  json: (fields) => ({ ...fields }),
  parse: storedSegment,
};
