/** Goals in a site's settings: add, edit, move, delete. The form suggests the site's pages, events and properties. */
import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import { readablePath } from "../../src/shared/paths.ts";
import { ITEM_NAME_CHARS_MAX } from "../../src/shared/limits.ts";
import { addGoal, deleteGoal, listGoals, replaceGoal, type SiteGoal } from "../api/endpoints.ts";
import { problemText } from "../api/http.ts";
import type { NewGoal, SiteGoals } from "../api/types.ts";
import { usePageChoices } from "../explore/steps.tsx";
import { Checkbox, ConfirmedButton, Form, Radios } from "../kit/forms.tsx";
import { Button } from "../kit/inline.tsx";
import { Picker, type Choice } from "../kit/picker.tsx";
import { Problem } from "../kit/states.tsx";
import { isLoading, reloadAll, useAction, useReport } from "../state/requests.ts";
import { unfilteredScope } from "../state/scope.ts";
import { fill, words } from "../words/words.ts";
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

const EMPTY_GOAL: GoalDraft = { kind: "page", name: "", page: "", event: "", key: "", value: "", hasRevenue: false };

const draftOf = ({ name, page, event, property, revenue }: SiteGoal): GoalDraft => ({
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
function definitionText({ page, event, property }: Definition): string {
  if (page !== null) return fill(words.goalSettings.visit, { page: readablePath(page) });
  return property === null
    ? `${event}`
    : fill(words.goalSettings.eventWith, { event: event ?? "", property: property.key, value: property.value });
}

const definitionOf = ({ kind, page, event, key, value }: GoalDraft): Definition =>
  kind === "page" ? { page, event: null, property: null } : { page: null, event, property: key === "" ? null : { key, value } };

/** The name of a goal without one. */
const defaultName = (draft: GoalDraft): string =>
  (draft.kind === "page" ? draft.page : draft.event) === "" ? "" : definitionText(definitionOf(draft));

const newGoal = (draft: GoalDraft): NewGoal => ({
  ...definitionOf(draft),
  name: draft.name.trim() || defaultName(draft),
  revenue: draft.kind === "event" && draft.hasRevenue,
});

const LABELS = {
  name: words.goalSettings.name,
  page: words.goalSettings.page,
  event: words.goalSettings.event,
  property: words.goalSettings.property,
  revenue: words.goalSettings.revenue,
} as const;
type FieldName = keyof typeof LABELS;

const KINDS: Readonly<Record<GoalDraft["kind"], string>> = { page: words.goalSettings.pageViewed, event: words.goalSettings.eventSent };

interface Editing {
  readonly draft: GoalDraft;
  readonly change: (changes: Partial<GoalDraft>) => void;
  readonly field: (name: FieldName) => CheckedField;
}

const fieldId = (name: FieldName): string => `goal-${name}`;

const asTyped = (typed: string): Choice => ({ value: typed, label: typed, hint: words.goalSettings.asTyped, isLast: true });

function PageField({ draft, change, field }: Editing) {
  return (
    <Field {...field("page")} hint={words.goalSettings.pageHint}>
      <Picker
        {...pickerAttributes(field("page"))}
        {...usePageChoices()}
        value={draft.page}
        placeholder={words.goalSettings.selectPage}
        onPick={(page) => change({ page })}
        choiceOf={(typed) =>
          /^[/*]/.test(typed) ? { value: typed, label: typed, ...(typed.includes("*") && { hint: words.goalSettings.wildcard }) } : null
        }
      />
    </Field>
  );
}

/** Choices of names; the form has no use for an empty one. */
const choicesOf = (names: readonly string[] = []): Choice[] =>
  names.filter((name) => name !== "").map((name) => ({ value: name, label: name }));

/** Keyed by event and property: values of another property must not be offered, even if loading fails. */
function PropertyValuePicker({ draft, change }: Pick<Editing, "draft" | "change">) {
  const values = useReport("property-values", { ...unfilteredScope.value, event: draft.event, name: draft.key });
  return (
    <Picker
      label={words.goalSettings.propertyValue}
      choices={choicesOf(values.data?.map(({ value }) => value))}
      isLoading={isLoading(values)}
      value={draft.value}
      placeholder={words.goalSettings.selectValue}
      onPick={(value) => change({ value })}
      choiceOf={asTyped}
    />
  );
}

function PropertyField({ draft, change, field }: Editing) {
  const keys = useReport("properties", unfilteredScope.value).data;
  return (
    <Field {...field("property")} hint={words.goalSettings.propertyHint}>
      <div class="form-row">
        <Picker
          {...pickerAttributes(field("property"))}
          choices={[{ value: "", label: words.goalSettings.anyEvent }, ...choicesOf(keys)]}
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
          choices={choicesOf(events.data?.map(({ name }) => name))}
          isLoading={isLoading(events)}
          value={draft.event}
          placeholder={words.goalSettings.selectEvent}
          onPick={(event) => change({ event })}
          choiceOf={asTyped}
        />
      </Field>
      <PropertyField {...editing} />
      <Checkbox id={fieldId("revenue")} isChecked={draft.hasRevenue} onChange={(isChecked) => change({ hasRevenue: isChecked })}>
        {words.goalSettings.showRevenue}
      </Checkbox>
    </>
  );
}

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
function GoalForm({ title, first, submitLabel, onSubmit, onCancel }: GoalFormProps) {
  const [draft, setDraft] = useState(first);
  const { form, isBusy, run, field, formProblem } = useFieldProblems(LABELS, fieldId);
  const isReady = isWhole(draft) && !isBusy;
  const change = (changes: Partial<GoalDraft>) => setDraft((before) => ({ ...before, ...changes }));
  const editing: Editing = { draft, change, field };

  // One that is changed takes the place of the button that was pressed.
  useLayoutEffect(() => {
    if (onCancel) form.current?.querySelector<HTMLElement>("input:checked")?.focus();
  }, []);

  return (
    <Form class="form settings-form" root={form} label={title} onSubmit={() => void (isReady && run(() => onSubmit(draft)))}>
      <Radios
        legend={words.goalSettings.completedWhen}
        name="goal-kind"
        labels={KINDS}
        chosen={draft.kind}
        onChoose={(kind) => change({ kind })}
      />
      {draft.kind === "page" ? <PageField {...editing} /> : <EventFields {...editing} />}
      <TextField
        {...field("name")}
        hint={words.goalSettings.nameHint}
        maxLength={ITEM_NAME_CHARS_MAX}
        placeholder={defaultName(draft)}
        value={draft.name}
        onInput={(name) => change({ name })}
      />
      <Problem text={formProblem} />
      <div class="save-bar">
        <button type="submit" class="button primary" aria-disabled={!isReady}>
          {submitLabel}
        </button>
        {onCancel && <Button onClick={onCancel}>{words.goalSettings.cancel}</Button>}
      </div>
    </Form>
  );
}

/** `Event Signup · with revenue`: what its name does not say. */
function aboutGoal(goal: SiteGoal): string {
  const definition = goal.page === null ? fill(words.goalSettings.eventNamed, { event: definitionText(goal) }) : definitionText(goal);
  return [...(definition === goal.name ? [] : [definition]), ...(goal.revenue ? [words.goalSettings.withRevenue] : [])].join(" · ");
}

export function GoalsSection({ siteId }: { readonly siteId: string }) {
  const [goals, setGoals] = useState<SiteGoals | null>(null);
  const { problem, run } = useAction(problemText);
  const load = async () => setGoals(await listGoals(siteId));
  useEffect(() => void run(load), []);
  /** @throws ServiceError if the service refuses it */
  async function change(action: () => Promise<unknown>): Promise<void> {
    await action();
    await load();
    reloadAll();
  }
  const tryChange = (action: () => Promise<unknown>) => void run(() => change(action));
  const [edited, setEdited] = useState<string | null>(null);
  /** Resets the form after each new goal. */
  const [added, setAdded] = useState(0);
  const moveButton = (goal: SiteGoal, where: "up" | "down", canMove: boolean) => (
    <button
      type="button"
      class="icon-button"
      aria-label={fill(where === "up" ? words.goalSettings.moveUp : words.goalSettings.moveDown, { goal: goal.name })}
      aria-disabled={!canMove}
      onClick={() =>
        canMove && tryChange(() => replaceGoal(siteId, goal.id, { ...goal, position: goal.position + (where === "up" ? -1 : 1) }))
      }
    >
      {where === "up" ? "↑" : "↓"}
    </button>
  );
  return (
    <section class="panel" aria-labelledby="goals-title">
      <h2 id="goals-title">{words.goalSettings.title}</h2>
      <p class="dim">{words.goalSettings.about}</p>
      <Problem text={problem} />
      {goals?.length === 0 && <p class="empty">{words.goalSettings.none}</p>}
      <ol class="goals" aria-label={words.goalSettings.title}>
        {goals?.map((goal) =>
          goal.id === edited ? (
            <li key={goal.id} class="item">
              <GoalForm
                title={fill(words.goalSettings.goalNamed, { goal: goal.name })}
                first={draftOf(goal)}
                submitLabel={words.goalSettings.save}
                onSubmit={async (draft) => {
                  await change(() => replaceGoal(siteId, goal.id, newGoal(draft)));
                  setEdited(null);
                }}
                onCancel={() => setEdited(null)}
              />
            </li>
          ) : (
            <li key={goal.id} class="item">
              <div class="item-text">
                <h3>{goal.name}</h3>
                <p class="dim">{aboutGoal(goal)}</p>
              </div>
              <div class="item-tools">
                {moveButton(goal, "up", goal.position > 1)}
                {moveButton(goal, "down", goal.position < goals.length)}
                <button type="button" class="button small" onClick={() => setEdited(goal.id)}>
                  {words.goalSettings.edit}
                  <span class="unseen"> {goal.name}</span>
                </button>
                <ConfirmedButton
                  isSmall
                  label={words.goalSettings.delete}
                  confirmLabel={words.goalSettings.confirmDelete}
                  subject={goal.name}
                  onConfirm={() => tryChange(() => deleteGoal(siteId, goal.id))}
                />
              </div>
            </li>
          ),
        )}
      </ol>
      {edited === null && (
        <>
          <h3>{words.goalSettings.newGoal}</h3>
          <GoalForm
            key={added}
            title={words.goalSettings.newGoal}
            first={EMPTY_GOAL}
            submitLabel={words.goalSettings.addGoal}
            onSubmit={async (draft) => {
              await change(() => addGoal(siteId, newGoal(draft)));
              setAdded(added + 1);
            }}
          />
        </>
      )}
    </section>
  );
}
