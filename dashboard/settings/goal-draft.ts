/** A goal that is being edited: what the form holds, and what is sent to the service. */
import type { SiteGoal } from "../api/goals.ts";
import type { NewGoal } from "../api/types.ts";

export interface GoalDraft {
  readonly kind: "page" | "event";
  /** Empty for the definition in words. */
  readonly name: string;
  readonly page: string;
  readonly event: string;
  /** Empty for any event of the name. */
  readonly key: string;
  readonly value: string;
  readonly hasRevenue: boolean;
}

export const EMPTY_GOAL: GoalDraft = { kind: "page", name: "", page: "", event: "", key: "", value: "", hasRevenue: false };

export const draftOf = ({ name, page, event, property, revenue }: SiteGoal): GoalDraft => ({
  kind: page === null ? "event" : "page",
  name,
  page: page ?? "",
  event: event ?? "",
  key: property?.key ?? "",
  value: property?.value ?? "",
  hasRevenue: revenue,
});

type Definition = Pick<SiteGoal, "page" | "event" | "property">;

/** `Visit /docs/*`, `Signup`, `Signup with plan pro` */
export function definitionText({ page, event, property }: Definition): string {
  if (page !== null) return `Visit ${page}`;
  return property === null ? `${event}` : `${event} with ${property.key} ${property.value}`;
}

const definitionOf = ({ kind, page, event, key, value }: GoalDraft): Definition =>
  kind === "page" ? { page, event: null, property: null } : { page: null, event, property: key === "" ? null : { key, value } };

/** The name that a goal has if it is given none. */
export const defaultName = (draft: GoalDraft): string =>
  (draft.kind === "page" ? draft.page : draft.event) === "" ? "" : definitionText(definitionOf(draft));

export const newGoal = (draft: GoalDraft): NewGoal => ({
  ...definitionOf(draft),
  name: draft.name.trim() || defaultName(draft),
  revenue: draft.kind === "event" && draft.hasRevenue,
});
