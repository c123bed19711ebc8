/** Segments of a site: what is saved under a name, filters or the parameters of a funnel or a sequence (docs/segments.md). */
import type { JsonObject } from "../../storage/json-record.ts";
import { exceedsChars } from "../../shared/text.ts";
import { SEGMENTS_MAX, SEGMENT_CHARS_MAX } from "../base/config/admin-limits.ts";
import { isObject, optionalText } from "../base/config/json-fields.ts";
import { invalidInput } from "../base/errors.ts";
import type { CollectionKind, Item } from "./collection.ts";
import { parseItemName, refuseUnknownItemFields, parseOwner, storedOwner, type ItemOwner } from "./item-fields.ts";

/** The parameters that each kind saves, by which reports know them. */
const SEGMENT_PARAMETERS = {
  filters: ["filters"],
  funnel: ["steps", "window", "modes"],
  sequence: ["steps", "pattern", "conditions"],
} as const;

export type SegmentKind = keyof typeof SEGMENT_PARAMETERS;
export const SEGMENT_KINDS = Object.keys(SEGMENT_PARAMETERS) as readonly SegmentKind[];

/** All that any kind saves. */
export const SAVED_PARAMETERS = [...new Set(Object.values(SEGMENT_PARAMETERS).flat())];

export interface SegmentFields {
  readonly name: string;
  readonly kind: SegmentKind;
  /** Written as in requests. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly owner: ItemOwner;
}

export type Segment = Item<SegmentFields>;

function parseKind(body: JsonObject): SegmentKind {
  const kind = optionalText(body, "kind") ?? "filters";
  const known = SEGMENT_KINDS.find((word) => word === kind);
  if (known === undefined) throw invalidInput(`Field "kind" must be one of ${SEGMENT_KINDS.join(", ")}`);
  return known;
}

/** The parameters of the kind; 400 for those of another one. What they say is not checked. */
function parseParameters(body: JsonObject, kind: SegmentKind): Readonly<Record<string, string>> {
  const given = SAVED_PARAMETERS.map((name) => [name, optionalText(body, name)] as const).filter(([, value]) => value !== null);
  const own: readonly string[] = SEGMENT_PARAMETERS[kind];
  const [foreign] = given.find(([name]) => !own.includes(name)) ?? [];
  if (foreign !== undefined) throw invalidInput(`Field "${foreign}": a segment of the kind "${kind}" has only ${own.join(", ")}`);
  const long = given.find(([, value]) => exceedsChars(value ?? "", SEGMENT_CHARS_MAX));
  if (long) throw invalidInput(`Field "${long[0]}" must be at most ${SEGMENT_CHARS_MAX} characters`);
  return Object.fromEntries(given) as Readonly<Record<string, string>>;
}

/** 422 for a field of the wrong type, 400 for one that breaks its rule or is unknown. */
export function parseSegment(body: JsonObject, caller: ItemOwner): SegmentFields {
  refuseUnknownItemFields(body, ["name", "kind", "scope", ...SAVED_PARAMETERS]);
  const kind = parseKind(body);
  return { name: parseItemName(body), kind, parameters: parseParameters(body, kind), owner: parseOwner(body, caller) };
}

function storedSegment(json: JsonObject): SegmentFields {
  const { parameters } = json;
  if (!isObject(parameters)) throw new Error("a segment has no parameters");
  const kind = parseKind(json);
  return { name: parseItemName(json), kind, parameters: parseParameters(parameters, kind), owner: storedOwner(json) };
}

export const SEGMENT_KIND: CollectionKind<SegmentFields> = {
  name: "segments",
  itemsMax: SEGMENTS_MAX,
  json: (fields) => ({ ...fields }),
  parse: storedSegment,
};
