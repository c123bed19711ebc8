/** Drafts of new share links by site. They survive switching views, until created or cleared. */
import { signal } from "@preact/signals";
import { dayAfter } from "../../src/shared/periods.ts";
import type { CreatedShare, NewShare } from "../api/types.ts";
import { printFilters } from "../state/filters.ts";
import { timeZone } from "../state/known-sites.ts";
import { startOf } from "../state/time-zone.ts";
import { filters } from "../state/view-filters.ts";
import { entriesOf, guardUnload } from "./fields.tsx";

/** `any`: the guest chooses. `period`: one that ends today. `fixed`: from one date to another. */
export type SharedDates = "any" | "period" | "fixed";

export interface ShareDraft {
  readonly name: string;
  readonly password: string;
  /** Limits the link to the dashboard's filters. */
  readonly isFiltered: boolean;
  readonly dates: SharedDates;
  readonly period: string;
  readonly start: string;
  readonly end: string;
  readonly hasRealtime: boolean;
  /** Empty for a link that does not expire. */
  readonly lastDay: string;
  /** Lines as typed, including empty ones. */
  readonly origins: readonly string[];
}

const EMPTY: ShareDraft = {
  name: "",
  password: "",
  isFiltered: true,
  dates: "any",
  period: "30d",
  start: "",
  end: "",
  hasRealtime: true,
  lastDay: "",
  origins: [],
};

const drafts = signal<Readonly<Record<string, ShareDraft>>>({});

export const shareDraft = (siteId: string): ShareDraft => drafts.value[siteId] ?? EMPTY;

export const changeShareDraft = (siteId: string, changes: Partial<ShareDraft>): void => {
  drafts.value = { ...drafts.value, [siteId]: { ...shareDraft(siteId), ...changes } };
};

export const clearShareDraft = (siteId: string): void => changeShareDraft(siteId, EMPTY);

export const isShareDraftEmpty = (siteId: string): boolean => JSON.stringify(shareDraft(siteId)) === JSON.stringify(EMPTY);

guardUnload(() => Object.keys(drafts.value).some((siteId) => !isShareDraftEmpty(siteId)));

/** The last second of a day at the site. */
const endOf = (day: string): string => new Date(startOf(dayAfter(day, 1), timeZone.value) - 1000).toISOString();

/** `https://www.example.com` from a page's address. The service rejects what is not an address. */
function originOf(address: string): string {
  try {
    const { protocol, origin } = new URL(address);
    return /^https?:$/.test(protocol) ? origin : address;
  } catch {
    return address;
  }
}

/** Omits fields that limit nothing. */
export const newShare = (siteId: string, draft: ShareDraft): NewShare => ({
  site_id: siteId,
  name: draft.name.trim(),
  password: draft.password || undefined,
  filters: (draft.isFiltered && printFilters(filters.value)) || undefined,
  period: draft.dates === "period" ? draft.period : undefined,
  ...(draft.dates === "fixed" && { start_date: draft.start, end_date: draft.end }),
  realtime: draft.hasRealtime,
  expires_at: draft.lastDay === "" ? undefined : endOf(draft.lastDay),
  frame_ancestors: entriesOf(draft.origins).map(originOf),
});

/** The last created link by site, shown until the reader is done with it. */
export const createdShares = signal<Readonly<Record<string, CreatedShare | null>>>({});
