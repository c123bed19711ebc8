/** Filters as the service writes them: `dimension==value;dimension!=value`. */

export interface Filter {
  readonly dimension: string;
  readonly isNot: boolean;
  readonly value: string;
}

export function parseFilters(text: string | null): Filter[] {
  return (text ?? "").split(";").flatMap((part) => {
    const match = /^([a-z-]+)(==|!=)(.+)$/su.exec(part);
    return match ? [{ dimension: match[1] ?? "", isNot: match[2] === "!=", value: match[3] ?? "" }] : [];
  });
}

export const printFilters = (filters: readonly Filter[]): string | null =>
  filters.length === 0 ? null : filters.map(({ dimension, isNot, value }) => `${dimension}${isNot ? "!=" : "=="}${value}`).join(";");

/** Values with a `;` cannot be written as a filter. */
export const canFilterBy = (value: string): boolean => !value.includes(";") && value.length <= 512;
