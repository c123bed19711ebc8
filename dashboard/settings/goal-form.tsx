/** The form of a goal: a page, or an event with an optional property. It suggests the site's pages, events and properties. */
import { useLayoutEffect, useState } from "preact/hooks";
import { ITEM_NAME_CHARS_MAX } from "../../src/shared/limits.ts";
import type { SiteGoal } from "../api/site.ts";
import type { NewGoal } from "../api/types.ts";
import { usePageChoices } from "../explore/steps.tsx";
import { Checkbox, Form, Radios } from "../kit/forms.tsx";
import { Button } from "../kit/inline.tsx";
import { Picker, type Choice } from "../kit/picker.tsx";
import { Problem } from "../kit/states.tsx";
import { isLoading, useReport } from "../state/requests.ts";
import { unfilteredScope } from "../state/scope.ts";
import { Field, pickerAttributes, TextField, useFieldProblems, type CheckedField } from "./fields.tsx";

interface GoalDraft {
  readonly kind: "page" | "event";
  /** Empty for the default name. */
  readonly name: string;
  readonly page: string;
  readonly event: string;
  /** Empty for any event of this name. */
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

/** The name of a goal without one. */
const defaultName = (draft: GoalDraft): string =>
  (draft.kind === "page" ? draft.page : draft.event) === "" ? "" : definitionText(definitionOf(draft));

export const newGoal = (draft: GoalDraft): NewGoal => ({
  ...definitionOf(draft),
  name: draft.name.trim() || defaultName(draft),
  revenue: draft.kind === "event" && draft.hasRevenue,
});

const LABELS = { name: "Name", page: "Page", event: "Event", property: "Property", revenue: "Revenue" } as const;
type FieldName = keyof typeof LABELS;

const KINDS: Readonly<Record<GoalDraft["kind"], string>> = { page: "A page is viewed", event: "An event happens" };

interface Editing {
  readonly draft: GoalDraft;
  readonly change: (changes: Partial<GoalDraft>) => void;
  readonly field: (name: FieldName) => CheckedField;
}

const fieldId = (name: FieldName): string => `goal-${name}`;

const asTyped = (typed: string): Choice => ({ value: typed, label: typed, hint: "as typed", isLast: true });

function PageField({ draft, change, field }: Editing) {
  return (
    <Field {...field("page")} hint="A path. * stands for any characters, as in /docs/*.">
      <Picker
        {...pickerAttributes(field("page"))}
        {...usePageChoices()}
        value={draft.page}
        placeholder="Select a page, or type a path"
        onPick={(page) => change({ page })}
        choiceOf={(typed) =>
          /^[/*]/.test(typed) ? { value: typed, label: typed, ...(typed.includes("*") && { hint: "wildcard" }) } : null
        }
      />
    </Field>
  );
}

const hasName = ({ name }: { readonly name: string }): boolean => name !== "";

/** Keyed by event and property: values of another property must not be offered, even if loading fails. */
function PropertyValuePicker({ draft, change }: Pick<Editing, "draft" | "change">) {
  const values = useReport("property-values", { ...unfilteredScope.value, event: draft.event, name: draft.key });
  return (
    <Picker
      label="Value of the property"
      choices={(values.data ?? []).filter(({ value }) => value !== "").map(({ value }) => ({ value, label: value }))}
      isLoading={isLoading(values)}
      value={draft.value}
      placeholder="Select a value"
      onPick={(value) => change({ value })}
      choiceOf={asTyped}
    />
  );
}

function PropertyField({ draft, change, field }: Editing) {
  const keys = useReport("properties", unfilteredScope.value).data ?? [];
  return (
    <Field {...field("property")} hint="Optional. Only events with this value count.">
      <div class="form-row">
        <Picker
          {...pickerAttributes(field("property"))}
          choices={[
            { value: "", label: "Any event of this name" },
            ...keys.filter((key) => key !== "").map((key) => ({ value: key, label: key })),
          ]}
          value={draft.key}
          onPick={(key) => change({ key, value: "" })}
          choiceOf={asTyped}
        />
        {draft.key !== "" && <PropertyValuePicker key={JSON.stringify([draft.event, draft.key])} draft={draft} change={change} />}
      </div>
    </Field>
  );
}

function EventFields(editing: Editing) {
  const { draft, change, field } = editing;
  const events = useReport("goals", unfilteredScope.value);
  return (
    <>
      <Field {...field("event")}>
        <Picker
          {...pickerAttributes(field("event"))}
          choices={(events.data ?? []).filter(hasName).map(({ name }) => ({ value: name, label: name }))}
          isLoading={isLoading(events)}
          value={draft.event}
          placeholder="Select an event, or type its name"
          onPick={(event) => change({ event })}
          choiceOf={asTyped}
        />
      </Field>
      <PropertyField {...editing} />
      <Checkbox id={fieldId("revenue")} isChecked={draft.hasRevenue} onChange={(isChecked) => change({ hasRevenue: isChecked })}>
        Show the revenue of its events
      </Checkbox>
    </>
  );
}

const GoalFields = (editing: Editing) => (
  <>
    <Radios
      legend="Reached when"
      name="goal-kind"
      labels={KINDS}
      chosen={editing.draft.kind}
      onChoose={(kind) => editing.change({ kind })}
    />
    {editing.draft.kind === "page" ? <PageField {...editing} /> : <EventFields {...editing} />}
    <TextField
      {...editing.field("name")}
      hint="Optional. How reports call the goal."
      maxLength={ITEM_NAME_CHARS_MAX}
      placeholder={defaultName(editing.draft)}
      value={editing.draft.name}
      onInput={(name) => editing.change({ name })}
    />
  </>
);

const isWhole = ({ kind, page, event, key, value }: GoalDraft): boolean =>
  kind === "page" ? page !== "" : event !== "" && (key === "" || value !== "");

interface GoalFormProps {
  readonly title: string;
  readonly first: GoalDraft;
  readonly submitLabel: string;
  readonly onSubmit: (draft: GoalDraft) => Promise<void>;
  readonly onCancel?: () => void;
}

/** Keyed by goal, so that it begins with `first`. */
export function GoalForm({ title, first, submitLabel, onSubmit, onCancel }: GoalFormProps) {
  const [draft, setDraft] = useState(first);
  const { form, isBusy, run, field, formProblem } = useFieldProblems(LABELS, fieldId);
  const isReady = isWhole(draft) && !isBusy;

  // One that is changed takes the place of the button that was pressed.
  useLayoutEffect(() => {
    if (onCancel) form.current?.querySelector<HTMLElement>("input:checked")?.focus();
  }, []);

  return (
    <Form class="form settings-form" root={form} label={title} onSubmit={() => void (isReady && run(() => onSubmit(draft)))}>
      <GoalFields draft={draft} change={(changes) => setDraft((before) => ({ ...before, ...changes }))} field={field} />
      <Problem text={formProblem} />
      <div class="save-bar">
        <button type="submit" class="button primary" aria-disabled={!isReady}>
          {submitLabel}
        </button>
        {onCancel && <Button onClick={onCancel}>Cancel</Button>}
      </div>
    </Form>
  );
}
