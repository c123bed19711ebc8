/**
 * Search and order by labels. Readers search what they see. The service does not know the names of countries, so they are all requested and
 * searched here; for other labels it receives what it needs to find their values.
 */
import type { Filter } from "../../src/shared/filters.ts";
import type { Parameters } from "../api/http.ts";
import type { BreakdownPage, Dimension } from "../api/types.ts";
import { DIMENSIONS, formatValue, unknownLabel } from "../format/dimensions.ts";
import { LOCALE } from "../format/locale.ts";
import type { Order, Row } from "./details-columns.ts";

const collator = new Intl.Collator(LOCALE, { numeric: true });

/** Few enough values for one request, which readers know by other names. */
export const isNamed = (dimension: Dimension): boolean => dimension === "countries";

/** Filters rows by name or value, and orders them if they are ordered by name. */
export function namedRows({ rows }: BreakdownPage, dimension: Dimension, order: Order, search: string): BreakdownPage {
  const nameOf = ({ value }: Row) => formatValue(dimension, value);
  const found = rows.filter((row) => `${nameOf(row)} ${row.value}`.toLowerCase().includes(search.toLowerCase()));
  const sign = order.isAscending ? 1 : -1;
  const ordered = order.column === "value" ? found.toSorted((a, b) => sign * collator.compare(nameOf(a), nameOf(b))) : found;
  return { total: ordered.length, rows: ordered };
}

/** Stands for the value in a label. */
const PLACE = "\0";

/** Removes the longest beginning of the text that is an end of `before`. */
function withoutBefore(text: string, before: string): string {
  for (let length = Math.min(text.length, before.length); length > 0; length--)
    if (before.endsWith(text.slice(0, length))) return text.slice(length);
  return text;
}

const reversed = (text: string): string => [...text].reverse().join("");

/** The part of a typed text to search in values, where labels have more: `Chrome` before a version, `px` after a width. */
function textInValues(dimension: Dimension, typed: string, filters: readonly Filter[]): string {
  if (DIMENSIONS[dimension].spelling) return typed;
  const text = typed.toLowerCase();
  const [before = "", after = ""] = formatValue(dimension, PLACE, filters).toLowerCase().split(PLACE);
  if (before === "" && after === "") return typed;
  if (before.includes(text) || after.includes(text)) return "";
  return reversed(withoutBefore(reversed(withoutBefore(text, before)), reversed(after)));
}

/** Finds the values whose labels contain the typed text. */
export const searchParameters = (dimension: Dimension, typed: string, filters: readonly Filter[]): Parameters => {
  const search = textInValues(dimension, typed, filters);
  return { search, ...(search !== "" && { unknown_label: unknownLabel(dimension) }) };
};
