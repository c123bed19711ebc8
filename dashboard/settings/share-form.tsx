/** The form of a new share link. */
import { SHARE_NAME_CHARS_MAX } from "../../src/shared/limits.ts";
import { SHORT_PERIODS } from "../../src/shared/periods.ts";
import { createShare } from "../api/site.ts";
import type { CreatedShare } from "../api/types.ts";
import { filterInWords } from "../format/filter-words.ts";
import { PERIOD_LABELS } from "../format/periods.ts";
import { Checkbox, Form, Radios } from "../kit/forms.tsx";
import { Button, LinkButton } from "../kit/inline.tsx";
import { Problem } from "../kit/states.tsx";
import { range, today } from "../state/period.ts";
import { filters } from "../state/view-filters.ts";
import { closeSettings } from "../state/view.ts";
import { LinesField, TextField, useFieldProblems, type CheckedField } from "./fields.tsx";
import {
  changeShareDraft,
  clearShareDraft,
  isShareDraftEmpty,
  newShare,
  shareDraft,
  type SharedDates,
  type ShareDraft,
} from "./share-draft.ts";

const LABELS = {
  name: "Name",
  password: "Password",
  filters: "Visitors",
  period: "Period",
  start_date: "Start date",
  end_date: "End date",
  expires_at: "Expiry date",
  frame_ancestors: "Sites allowed to embed it",
} as const;

type FieldName = keyof typeof LABELS;

const DATES: Readonly<Record<SharedDates, string>> = {
  any: "Any dates",
  period: "A period ending today",
  fixed: "Fixed dates",
};

interface Editing {
  readonly draft: ShareDraft;
  readonly change: (changes: Partial<ShareDraft>) => void;
  readonly field: (name: FieldName) => CheckedField;
}

const fieldId = (name: FieldName): string => `share-${name}`;

const VisitorsField = ({ draft, change, field }: Editing) =>
  filters.value.length === 0 ? (
    <p class="dim">
      Includes all visitors. To share only some of them, <LinkButton onClick={closeSettings}>filter the dashboard</LinkButton> first, then
      come back.
    </p>
  ) : (
    <fieldset id={fieldId("filters")} tabIndex={-1}>
      <legend>{LABELS.filters}</legend>
      <label class="choice">
        <input type="radio" name="share-visitors" checked={draft.isFiltered} onChange={() => change({ isFiltered: true })} />
        <span>
          Only visitors who match the dashboard's filters:{" "}
          <strong>{filters.value.map((filter) => filterInWords(filter, filters.value)).join(", ")}</strong>
        </span>
      </label>
      <label class="choice">
        <input type="radio" name="share-visitors" checked={!draft.isFiltered} onChange={() => change({ isFiltered: false })} />
        All visitors
      </label>
      <p class="problem" role="alert">
        {field("filters").problem}
      </p>
    </fieldset>
  );

const PeriodField = ({ draft, change }: Editing) => (
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
);

const FixedDates = ({ draft: { start, end }, change, field }: Editing) => (
  <div class="form-row">
    <TextField {...field("start_date")} type="date" required value={start} onInput={(day) => change({ start: day })} />
    <TextField {...field("end_date")} type="date" required min={start} value={end} onInput={(day) => change({ end: day })} />
  </div>
);

/** Fixed dates begin with the dashboard's. */
const DatesFields = (editing: Editing) => (
  <>
    <Radios
      legend="Dates"
      name="share-dates"
      labels={DATES}
      chosen={editing.draft.dates}
      onChoose={(dates) => editing.change({ dates, ...(dates === "fixed" && { start: range.value.start, end: range.value.end }) })}
    />
    {editing.draft.dates === "period" && <PeriodField {...editing} />}
    {editing.draft.dates === "fixed" && <FixedDates {...editing} />}
  </>
);

const AccessFields = ({ draft, change, field }: Editing) => (
  <>
    <div class="form-row">
      <TextField
        {...field("password")}
        type="password"
        hint="Optional. Viewers are asked for it."
        value={draft.password}
        onInput={(password) => change({ password })}
      />
      <TextField
        {...field("expires_at")}
        type="date"
        hint="Optional. The link works through the end of this day."
        min={today.value}
        value={draft.lastDay}
        onInput={(lastDay) => change({ lastDay })}
      />
    </div>
    <LinesField
      {...field("frame_ancestors")}
      hint="Optional, one per line. Pages on these sites can show the dashboard in a frame."
      placeholder="https://www.example.com"
      lines={draft.origins}
      onInput={(origins) => change({ origins })}
    />
  </>
);

const ShareFields = (editing: Editing) => (
  <>
    <TextField
      {...editing.field("name")}
      hint="Visible to viewers."
      required
      maxLength={SHARE_NAME_CHARS_MAX}
      placeholder="e.g. Marketing team"
      value={editing.draft.name}
      onInput={(name) => editing.change({ name })}
    />
    <VisitorsField {...editing} />
    <DatesFields {...editing} />
    <Checkbox isChecked={editing.draft.hasRealtime} onChange={(isChecked) => editing.change({ hasRealtime: isChecked })}>
      Show current visitors and the realtime view
    </Checkbox>
    <AccessFields {...editing} />
  </>
);

export function ShareForm({ siteId, onCreated }: { readonly siteId: string; readonly onCreated: (share: CreatedShare) => Promise<void> }) {
  const draft = shareDraft(siteId);
  const { form, isBusy, run, field, formProblem } = useFieldProblems(LABELS, fieldId);

  async function create() {
    const created = await createShare(newShare(siteId, draft));
    clearShareDraft(siteId);
    await onCreated(created);
  }

  return (
    <Form class="form settings-form" root={form} label="New share link" onSubmit={() => void (isBusy || run(create))}>
      <ShareFields draft={draft} change={(changes) => changeShareDraft(siteId, changes)} field={field} />
      <Problem text={formProblem} />
      <div class="save-bar">
        <button type="submit" class="button primary" aria-disabled={isBusy}>
          {isBusy ? "Creating…" : "Create link"}
        </button>
        {!isShareDraftEmpty(siteId) && <Button onClick={() => clearShareDraft(siteId)}>Clear</Button>}
      </div>
    </Form>
  );
}
