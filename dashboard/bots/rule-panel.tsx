/** The dialog of a rule: a new one from the filters of the view, or one that is changed. Shows what it would leave out. */
import { useState } from "preact/hooks";
import { ITEM_NAME_CHARS_MAX } from "../../src/shared/limits.ts";
import { problemText } from "../api/http.ts";
import { addRule, replaceRule, type Rule } from "../api/rules.ts";
import type { NewRule, PreviewedRule } from "../api/types.ts";
import { currentFilters } from "../filters/saved-items.tsx";
import { Dialog, PasswordRequired } from "../kit/dialog.tsx";
import { Checkbox, Form, NameInput } from "../kit/forms.tsx";
import { Button } from "../kit/inline.tsx";
import { Problem, ReportView } from "../kit/states.tsx";
import { authState } from "../state/connection.ts";
import { reloadAll, useAction } from "../state/requests.ts";
import { closePanel, panel, site } from "../state/view.ts";
import { words } from "../words/words.ts";
import { RulePreview } from "./rule-preview.tsx";
import { builtInName, builtInText, conditionsText, noteApplied, useRules } from "./rules.ts";

type Draft = Required<Pick<NewRule, "name" | "filters" | "first_date" | "last_date" | "spares_people" | "is_applied">>;

const newRule = (filters: string): Draft => ({
  name: [...conditionsText(filters)].slice(0, ITEM_NAME_CHARS_MAX).join(""),
  ...{ filters, first_date: null, last_date: null, spares_people: true, is_applied: true },
});

interface DateFieldProps {
  readonly label: string;
  readonly value: string | null;
  readonly onChange: (date: string | null) => void;
}

const DateField = ({ label, value, onChange }: DateFieldProps) => (
  <label>
    {label}
    <input type="date" value={value ?? ""} onInput={({ currentTarget: { value: date } }) => onChange(date === "" ? null : date)} />
  </label>
);

interface RuleFormProps {
  readonly first: Draft;
  readonly submitLabel: string;
  /** @throws ServiceError if the service refuses it */
  readonly onSave: (rule: Draft) => Promise<void>;
}

function RuleForm({ first, submitLabel, onSave }: RuleFormProps) {
  const [draft, setDraft] = useState(first);
  const { isBusy, problem, run } = useAction(problemText);
  const change = (changes: Partial<Draft>) => setDraft((before) => ({ ...before, ...changes }));
  const { first_date: from, last_date: to } = draft;
  const isBackwards = from !== null && to !== null && from > to;
  const name = draft.name.trim();
  return (
    <Form onSubmit={() => void (name !== "" && !isBackwards && !isBusy && run(() => onSave({ ...draft, name })))}>
      <p>{conditionsText(draft.filters)}</p>
      <NameInput label={words.rules.name} charsMax={ITEM_NAME_CHARS_MAX} value={draft.name} onInput={(text) => change({ name: text })} />
      <div class="form-row">
        <DateField label={words.rules.firstDate} value={from} onChange={(date) => change({ first_date: date })} />
        <DateField label={words.rules.lastDate} value={to} onChange={(date) => change({ last_date: date })} />
      </div>
      {isBackwards && <p class="problem">{words.rules.backwards}</p>}
      <Checkbox
        describedBy="spares-people-hint"
        isChecked={draft.spares_people}
        onChange={(isChecked) => change({ spares_people: isChecked })}
      >
        {words.rules.sparePeople}
      </Checkbox>
      <p class="hint" id="spares-people-hint">
        {words.rules.proof}
      </p>
      {!isBackwards && <RulePreview of={{ filters: draft.filters, first_date: from, last_date: to, spares_people: draft.spares_people }} />}
      <Problem text={problem} />
      <div class="form-buttons">
        <button type="submit" class="button primary" aria-disabled={isBusy || name === "" || isBackwards}>
          {submitLabel}
        </button>
        <Button onClick={closePanel}>{words.rules.cancel}</Button>
      </div>
    </Form>
  );
}

function NewRuleForm({ filters }: { readonly filters: string }) {
  const siteId = site.value ?? "";
  async function save(draft: Draft) {
    const rule = await addRule(siteId, draft);
    closePanel();
    reloadAll();
    noteApplied(siteId, rule, true);
  }
  return <RuleForm first={newRule(filters)} submitLabel={words.rules.apply} onSave={save} />;
}

function ChangedRuleForm({ rule }: { readonly rule: Rule }) {
  async function save(draft: Draft) {
    await replaceRule(site.value ?? "", rule.id, draft);
    closePanel();
    reloadAll();
  }
  const { name, filters, first_date, last_date, spares_people, is_applied } = rule;
  const first = { name, filters, first_date, last_date, spares_people, is_applied };
  return <RuleForm first={first} submitLabel={words.rules.save} onSave={save} />;
}

function ChangedRule({ id }: { readonly id: string }) {
  const rules = useRules();
  return (
    <ReportView report={rules} rows={3}>
      {(listed) => {
        const rule = listed.find((each) => each.id === id);
        return rule ? <ChangedRuleForm rule={rule} /> : <p>{words.rules.deleted}</p>;
      }}
    </ReportView>
  );
}

/** What a rule of `strict` leaves out, and does not leave out yet if it is in shadow. */
export function BuiltInRulePanel() {
  const [, id = ""] = (panel.value ?? "").split(":");
  return (
    <Dialog title={builtInName(id)} onClose={closePanel}>
      <p>{builtInText(id)}</p>
      <RulePreview of={{ built_in: id as PreviewedRule["built_in"] & string }} />
    </Dialog>
  );
}

export function RulePanel() {
  const [, id] = (panel.value ?? "").split(":");
  const title = id === undefined ? words.rules.newTitle : words.rules.changeTitle;
  const [filters] = useState(currentFilters);
  if (authState.value === "open") return <PasswordRequired title={title}>{words.rules.passwordNeeded}</PasswordRequired>;
  return (
    <Dialog title={title} onClose={closePanel}>
      {id !== undefined && <ChangedRule id={id} />}
      {id === undefined && (filters === null ? <p class="dim">{words.rules.howTo}</p> : <NewRuleForm filters={filters} />)}
    </Dialog>
  );
}
