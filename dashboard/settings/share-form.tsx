/** The form of a new share link. Drafts by site survive switching views, until created or cleared. */
import { signal } from "@preact/signals";
import { SHARE_NAME_CHARS_MAX } from "../../src/shared/limits.ts";
import { dayAfter, SHORT_PERIODS } from "../../src/shared/periods.ts";
import { createShare } from "../api/endpoints.ts";
import type { CreatedShare, NewShare } from "../api/types.ts";
import { filterInWords } from "../format/filter-words.ts";
import { PERIOD_LABELS } from "../format/periods.ts";
import { Checkbox, Form, Radios } from "../kit/forms.tsx";
import { Button, LinkButton } from "../kit/inline.tsx";
import { Problem } from "../kit/states.tsx";
import { printFilters } from "../state/filters.ts";
import { timeZone } from "../state/known-sites.ts";
import { range, today } from "../state/period.ts";
import { startOf } from "../state/time-zone.ts";
import { filters } from "../state/view-filters.ts";
import { closeSettings } from "../state/view.ts";
import { fill, rich, words } from "../words/words.ts";
import { entriesOf, guardUnload, LinesField, RefusedField, TextField, useFieldProblems, type CheckedField } from "./fields.tsx";

/** `any`: the guest chooses. `period`: one that ends today. `fixed`: from one date to another. */
type SharedDates = "any" | "period" | "fixed";

interface ShareDraft {
  readonly name: string;
  readonly password: string;
  /** Limits the link to the dashboard's filters. */
  readonly isFiltered: boolean;
  readonly dates: SharedDates;
  readonly period: string;
  readonly start: string;
  readonly end: string;
  readonly hasRealtime: boolean;
  readonly hasRawExport: boolean;
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
  hasRawExport: false,
  lastDay: "",
  origins: [],
};

const drafts = signal<Readonly<Record<string, ShareDraft>>>({});

const shareDraft = (siteId: string): ShareDraft => drafts.value[siteId] ?? EMPTY;

const changeShareDraft = (siteId: string, changes: Partial<ShareDraft>): void => {
  drafts.value = { ...drafts.value, [siteId]: { ...shareDraft(siteId), ...changes } };
};

const clearShareDraft = (siteId: string): void => changeShareDraft(siteId, EMPTY);

const isShareDraftEmpty = (siteId: string): boolean => JSON.stringify(shareDraft(siteId)) === JSON.stringify(EMPTY);

guardUnload(() => Object.keys(drafts.value).some((siteId) => !isShareDraftEmpty(siteId)));

/** The last second of a day at the site. */
const endOf = (day: string): string => new Date(startOf(dayAfter(day, 1), timeZone.value) - 1000).toISOString();

/** `https://www.example.com` from a page's address. @throws RefusedField for what is not an address */
function originOf(address: string): string {
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url !== null && /^https?:$/.test(url.protocol)) return url.origin;
  throw new RefusedField("frame_ancestors", fill(words.shareForm.noAddress, { typed: address }));
}

/** Omits fields that limit nothing. */
const newShare = (siteId: string, draft: ShareDraft): NewShare => ({
  site_id: siteId,
  name: draft.name.trim(),
  password: draft.password || undefined,
  filters: (draft.isFiltered && printFilters(filters.value)) || undefined,
  period: draft.dates === "period" ? draft.period : undefined,
  ...(draft.dates === "fixed" && { start_date: draft.start, end_date: draft.end }),
  realtime: draft.hasRealtime,
  raw_export: draft.hasRawExport,
  expires_at: draft.lastDay === "" ? undefined : endOf(draft.lastDay),
  frame_ancestors: entriesOf(draft.origins).map(originOf),
});

/** The last created link by site, shown until the reader is done with it. */
export const createdShares = signal<Readonly<Record<string, CreatedShare | null>>>({});

const LABELS = {
  name: words.shareForm.name,
  password: words.shareForm.password,
  filters: words.shareForm.visitors,
  period: words.shareForm.period,
  start_date: words.shareForm.startDate,
  end_date: words.shareForm.endDate,
  expires_at: words.shareForm.expiryDate,
  frame_ancestors: words.shareForm.embedders,
} as const;

type FieldName = keyof typeof LABELS;

const DATES: Readonly<Record<SharedDates, string>> = {
  any: words.shareForm.anyDates,
  period: words.shareForm.endingToday,
  fixed: words.shareForm.fixedDates,
};

interface Editing {
  readonly draft: ShareDraft;
  readonly change: (changes: Partial<ShareDraft>) => void;
  readonly field: (name: FieldName) => CheckedField;
}

const fieldId = (name: FieldName): string => `share-${name}`;

const VisitorsField = ({ draft, change, field }: Editing) =>
  filters.value.length === 0 ? (
    <p class="dim">{rich(words.shareForm.includesAll, { filter: (text) => <LinkButton onClick={closeSettings}>{text}</LinkButton> })}</p>
  ) : (
    <fieldset id={fieldId("filters")} tabIndex={-1}>
      <legend>{LABELS.filters}</legend>
      <label class="choice">
        <input type="radio" name="share-visitors" checked={draft.isFiltered} onChange={() => change({ isFiltered: true })} />
        <span>
          {rich(words.shareForm.onlyFiltered, {
            filters: <strong>{filters.value.map((filter) => filterInWords(filter, filters.value)).join(", ")}</strong>,
          })}
        </span>
      </label>
      <label class="choice">
        <input type="radio" name="share-visitors" checked={!draft.isFiltered} onChange={() => change({ isFiltered: false })} />
        {words.shareForm.allVisitors}
      </label>
      <p class="problem" role="alert">
        {field("filters").problem}
      </p>
    </fieldset>
  );

/** Fixed dates begin with the dashboard's. */
const DatesFields = ({ draft, change, field }: Editing) => (
  <>
    <Radios
      legend={words.shareForm.dates}
      name="share-dates"
      labels={DATES}
      chosen={draft.dates}
      onChoose={(dates) => change({ dates, ...(dates === "fixed" && { start: range.value.start, end: range.value.end }) })}
    />
    {draft.dates === "period" && (
      <label class="labelled">
        {LABELS.period}
        <select id={fieldId("period")} value={draft.period} onChange={(event) => change({ period: event.currentTarget.value })}>
          {SHORT_PERIODS.map((id) => (
            <option key={id} value={id}>
              {PERIOD_LABELS[id].label}
            </option>
          ))}
        </select>
      </label>
    )}
    {draft.dates === "fixed" && (
      <div class="form-row">
        <TextField {...field("start_date")} type="date" required value={draft.start} onInput={(start) => change({ start })} />
        <TextField {...field("end_date")} type="date" required min={draft.start} value={draft.end} onInput={(end) => change({ end })} />
      </div>
    )}
  </>
);

const AccessFields = ({ draft, change, field }: Editing) => (
  <>
    <div class="form-row">
      <TextField
        {...field("password")}
        type="password"
        hint={words.shareForm.passwordHint}
        value={draft.password}
        onInput={(password) => change({ password })}
      />
      <TextField
        {...field("expires_at")}
        type="date"
        hint={words.shareForm.expiryHint}
        min={today.value}
        value={draft.lastDay}
        onInput={(lastDay) => change({ lastDay })}
      />
    </div>
    <LinesField
      {...field("frame_ancestors")}
      hint={words.shareForm.embedHint}
      placeholder="https://www.example.com"
      lines={draft.origins}
      onInput={(origins) => change({ origins })}
    />
  </>
);

export function ShareForm({ siteId, onCreated }: { readonly siteId: string; readonly onCreated: (share: CreatedShare) => Promise<void> }) {
  const draft = shareDraft(siteId);
  const { form, isBusy, run, field, formProblem } = useFieldProblems(LABELS, fieldId);
  const editing: Editing = { draft, change: (changes) => changeShareDraft(siteId, changes), field };

  async function create() {
    const created = await createShare(newShare(siteId, draft));
    clearShareDraft(siteId);
    await onCreated(created);
  }

  return (
    <Form class="form settings-form" root={form} label={words.shareForm.newLink} onSubmit={() => void (isBusy || run(create))}>
      <TextField
        {...field("name")}
        hint={words.shareForm.nameHint}
        required
        maxLength={SHARE_NAME_CHARS_MAX}
        placeholder={words.shareForm.nameExample}
        value={draft.name}
        onInput={(name) => editing.change({ name })}
      />
      <VisitorsField {...editing} />
      <DatesFields {...editing} />
      <Checkbox isChecked={draft.hasRealtime} onChange={(hasRealtime) => editing.change({ hasRealtime })}>
        {words.shareForm.showRealtime}
      </Checkbox>
      <Checkbox isChecked={draft.hasRawExport} onChange={(hasRawExport) => editing.change({ hasRawExport })}>
        {words.sharing.allowRawExport}
      </Checkbox>
      <AccessFields {...editing} />
      <Problem text={formProblem} />
      <div class="save-bar">
        <button type="submit" class="button primary" aria-disabled={isBusy}>
          {isBusy ? words.shareForm.creating : words.shareForm.create}
        </button>
        {!isShareDraftEmpty(siteId) && <Button onClick={() => clearShareDraft(siteId)}>{words.shareForm.clear}</Button>}
      </div>
    </Form>
  );
}
