/** Countries are searched and ordered by their names, which the service does not know: all of them are asked for at once. */
import type { BreakdownPage, Dimension } from "../api/types.ts";
import { formatValue } from "../format/dimensions.ts";
import { LOCALE } from "../format/locale.ts";
import type { Order, Row } from "./details-columns.ts";

const collator = new Intl.Collator(LOCALE, { numeric: true });

/** Whether there are fewer values than a request may ask for, and readers know them by other names. */
export const isNamed = (dimension: Dimension): boolean => dimension === "countries";

/** The rows with the text in their names or values. The service has ordered them unless they are ordered by name. */
export function namedRows({ rows }: BreakdownPage, dimension: Dimension, order: Order, search: string): BreakdownPage {
  const nameOf = ({ value }: Row) => formatValue(dimension, value);
  const found = rows.filter((row) => `${nameOf(row)} ${row.value}`.toLowerCase().includes(search.toLowerCase()));
  const sign = order.isAscending ? 1 : -1;
  const ordered = order.column === "value" ? found.toSorted((a, b) => sign * collator.compare(nameOf(a), nameOf(b))) : found;
  return { total: ordered.length, rows: ordered };
}
