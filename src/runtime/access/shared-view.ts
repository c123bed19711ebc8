/** What of a site is shared (docs/sharing.md). */
import type { LocalDate } from "../../storage/event.ts";

/** Dates that no report may leave, or a period that ends with the current date. */
export type SharedDates = { readonly firstDay: LocalDate; readonly lastDay: LocalDate } | { readonly period: string };

export interface SharedView {
  /** Conditions that every report has in addition to its own, as in the parameter `filters`; empty for none. */
  readonly filters: string;
  /** Null for all dates. */
  readonly dates: SharedDates | null;
  readonly hasRealtime: boolean;
}
