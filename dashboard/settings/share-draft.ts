/** New share links that are being filled in, by site. They stay while other parts of the dashboard are shown, until created or cleared. */
import { signal } from "@preact/signals";
import { dayAfter } from "../../src/shared/periods.ts";
import type { CreatedShare, NewShare } from "../api/types.ts";
import { printFilters } from "../state/filters.ts";
import { timeZone } from "../state/known-sites.ts";
import { startOf } from "../state/time-zone.ts";
import { guardUnload } from "../state/unload-guard.ts";
import { filters } from "../state/view-filters.ts";
import { entriesOf } from "./fields.tsx";

/** `any`: viewers choose; `period`: one that ends today; `fixed`: from one date to another. */
export type SharedDates = "any" | "period" | "fixed";

export interface ShareDraft {
  readonly name: string;
  readonly password: string;
  /** Whether the filters of the dashboard limit what is shown. */
  readonly isFiltered: boolean;
  readonly dates: SharedDates;
  readonly period: string;
  readonly start: string;
  readonly end: string;
  readonly hasRealtime: boolean;
  /** The last day, or "" for good. */
  readonly lastDay: string;
  /** As typed: with empty lines. */
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

/** `https://www.example.com` of a page's address. What is no address is left to the service to refuse. */
function originOf(address: string): string {
  try {
    const { protocol, origin } = new URL(address);
    return /^https?:$/.test(protocol) ? origin : address;
  } catch {
    return address;
  }
}

/** What the service gets. Fields that limit nothing are left out. */
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

/** The link that was created last, by site: shown until the reader is done with it. */
export const createdShares = signal<Readonly<Record<string, CreatedShare | null>>>({});
