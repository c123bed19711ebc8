/** The form of a goal: a page, or an event, optionally with a property. It suggests the site's own pages, events and properties. */
import { useLayoutEffect, useState } from "preact/hooks";
import { usePageChoices } from "../explore/steps.tsx";
import { Picker, type Choice } from "../kit/picker.tsx";
import { Radios } from "../kit/radios.tsx";
import { Problem } from "../kit/states.tsx";
import { unfilteredScope } from "../state/scope.ts";
import { isLoading, useReport } from "../state/use-report.ts";
import { Field, pickerAttributes, TextField } from "./field.tsx";
import { useFieldProblems, type CheckedField } from "./use-field-problems.ts";
import { defaultName, type GoalDraft } from "./goal-draft.ts";

/** The service's limit. */
const NAME_CHARS_MAX = 100;

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

/** Mounted anew for each property: the values of the previous one are no choice, even if its own cannot be loaded. */
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
      <label class="choice">
        <input
          type="checkbox"
          id={fieldId("revenue")}
          checked={draft.hasRevenue}
          onChange={(event) => change({ hasRevenue: event.currentTarget.checked })}
        />
        Show the revenue of its events
      </label>
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
      maxLength={NAME_CHARS_MAX}
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

/** Mounted anew for each goal, so that it begins with `first`. */
export function GoalForm({ title, first, submitLabel, onSubmit, onCancel }: GoalFormProps) {
  const [draft, setDraft] = useState(first);
  const { form, isBusy, run, field, formProblem } = useFieldProblems(LABELS, fieldId);
  const isReady = isWhole(draft) && !isBusy;

  // One that is changed takes the place of the button that was pressed.
  useLayoutEffect(() => {
    if (onCancel) form.current?.querySelector<HTMLElement>("input:checked")?.focus();
  }, []);

  return (
    <form
      class="form settings-form"
      ref={form}
      aria-label={title}
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady) void run(() => onSubmit(draft));
      }}
    >
      <GoalFields draft={draft} change={(changes) => setDraft((before) => ({ ...before, ...changes }))} field={field} />
      <Problem text={formProblem} />
      <div class="save-bar">
        <button type="submit" class="button primary" aria-disabled={!isReady}>
          {submitLabel}
        </button>
        {onCancel && (
          <button type="button" class="button" onClick={onCancel}>
            Cancel
          </button>
        )}
      </div>
    </form>
  );
}
