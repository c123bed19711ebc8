/** Two cards: the rules of the site, each applied and taken back, changed and deleted; and those of the lens `strict`. */
import { problemText } from "../api/http.ts";
import { deleteRule, fetchBuiltInRules, type Rule } from "../api/rules.ts";
import { formatRange } from "../format/locale.ts";
import { currentFilters } from "../filters/saved-items.tsx";
import { ConfirmedButton } from "../kit/forms.tsx";
import { Button } from "../kit/inline.tsx";
import { Problem, ReportView } from "../kit/states.tsx";
import { authState } from "../state/connection.ts";
import { reloadAll, useAction, useRequest } from "../state/requests.ts";
import { openPanel, site } from "../state/view.ts";
import { fill, words } from "../words/words.ts";
import { builtInName, builtInText, conditionsText, datesText, setApplied, useRules } from "./rules.ts";

interface RuleItemProps {
  readonly rule: Rule;
  readonly run: (action: () => Promise<unknown>) => void;
}

function RuleItem({ rule, run }: RuleItemProps) {
  const siteId = site.value ?? "";
  const { name, is_applied: isApplied, spares_people: sparesPeople } = rule;
  const about = [conditionsText(rule.filters), datesText(rule), ...(sparesPeople ? [words.rules.sparesPeople] : [])];
  return (
    <li class="item">
      <div class="item-text">
        <h3>{name}</h3>
        <p>{isApplied ? <strong>{words.rules.applied}</strong> : words.rules.notApplied}</p>
        <p class="dim">{about.join(" · ")}</p>
      </div>
      {authState.value === "logged_in" && (
        <div class="item-tools">
          <button type="button" class="button small" onClick={() => run(() => setApplied(siteId, rule, !isApplied))}>
            {isApplied ? words.kit.undo : words.rules.apply}
            <span class="unseen"> {name}</span>
          </button>
          <button type="button" class="button small" onClick={() => openPanel(`rule:${rule.id}`)}>
            {words.rules.edit}
            <span class="unseen"> {name}</span>
          </button>
          <ConfirmedButton
            isSmall
            label={words.rules.delete}
            confirmLabel={words.rules.confirmDelete}
            subject={name}
            onConfirm={() => run(() => deleteRule(siteId, rule.id).then(reloadAll))}
          />
        </div>
      )}
    </li>
  );
}

/** The way to a new rule: from the filters that the view has. */
function NewRule() {
  if (authState.value === "open") return <p class="dim">{words.rules.passwordNeeded}</p>;
  if (authState.value !== "logged_in") return null;
  const filters = currentFilters();
  if (filters === null) return <p class="dim">{words.rules.howTo}</p>;
  return (
    <p>
      <Button onClick={() => openPanel("rule")}>{words.filters.leaveOut}</Button> <span class="dim">{conditionsText(filters)}</span>
    </p>
  );
}

export function RulesCard() {
  const rules = useRules();
  const { problem, run } = useAction(problemText);
  return (
    <section class="panel tables rules" aria-labelledby="rules-title">
      <h2 id="rules-title">{words.rules.title}</h2>
      <p class="dim">{words.rules.about}</p>
      <Problem text={problem} />
      <ReportView report={rules} rows={1}>
        {(listed) => (
          <ul class="items" aria-label={words.rules.title}>
            {listed.map((rule) => (
              <RuleItem key={rule.id} rule={rule} run={(action) => void run(action)} />
            ))}
          </ul>
        )}
      </ReportView>
      <NewRule />
    </section>
  );
}

/** The rules of `strict`, and from when on they count. */
export function BuiltInRulesCard() {
  const report = useRequest("/api/rules/built-in", fetchBuiltInRules);
  return (
    <section class="panel tables rules" aria-labelledby="built-in-rules-title">
      <h2 id="built-in-rules-title">{words.rules.builtIn}</h2>
      <ReportView report={report} rows={3}>
        {({ rules }) => (
          <ul class="items" aria-labelledby="built-in-rules-title">
            {rules.map(({ id, counts_from: date, is_in_shadow: isInShadow, ...rule }) => (
              <li key={id} class="item">
                <div class="item-text">
                  <h3>{builtInName(id)}</h3>
                  <p>{fill(isInShadow ? words.rules.inShadow : words.rules.countsSince, { date: formatRange(date, date) })}</p>
                  <p class="dim">{builtInText(id) ?? rule.description}</p>
                </div>
                {authState.value === "logged_in" && (
                  <div class="item-tools">
                    <button type="button" class="button small" onClick={() => openPanel(`built-in-rule:${id}`)}>
                      {words.rules.show}
                      <span class="unseen"> {builtInName(id)}</span>
                    </button>
                  </div>
                )}
              </li>
            ))}
          </ul>
        )}
      </ReportView>
    </section>
  );
}
