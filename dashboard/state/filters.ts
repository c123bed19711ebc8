/** Filters as the API and the URL write them: `dimension==value;dimension!=value` (docs/http-api.md, "Filters"). */

export interface Filter {
  /** As in the URL, so possibly one that does not exist; the service answers that with 400. */
  readonly dimension: string;
  readonly isNot: boolean;
  readonly value: string;
}

/** The service's limits. */
export const FILTERS_MAX = 12;
const VALUE_CHARS_MAX = 512;

export function parseFilters(text: string | null): Filter[] {
  return (text ?? "").split(";").flatMap((part) => {
    const match = /^([a-z-]+)(==|!=)(.+)$/su.exec(part);
    return match ? [{ dimension: match[1] ?? "", isNot: match[2] === "!=", value: match[3] ?? "" }] : [];
  });
}

export const printFilter = ({ dimension, isNot, value }: Filter): string => `${dimension}${isNot ? "!=" : "=="}${value}`;

/** Null where there are none. */
export const printFilters = (filters: readonly Filter[]): string | null => filters.map(printFilter).join(";") || null;

/** A value with a `;` cannot be written as a filter. */
export const canFilterBy = (value: string): boolean => !value.includes(";") && value.length <= VALUE_CHARS_MAX;

export const isSameFilter = (a: Filter, b: Filter): boolean => printFilter(a) === printFilter(b);

/** Removes the filter if present, else adds it. An added "is" replaces the other "is" of its dimension: both could not hold. */
export function toggled(filters: readonly Filter[], filter: Filter): Filter[] {
  const others = filters.filter((known) => !isSameFilter(known, filter));
  if (others.length < filters.length) return others;
  const isReplaced = (known: Filter) => !known.isNot && !filter.isNot && known.dimension === filter.dimension;
  return [...others.filter((known) => !isReplaced(known)), filter];
}
