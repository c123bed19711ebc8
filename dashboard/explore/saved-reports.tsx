/** Saved funnels and sequences (docs/segments.md): the list that opens one with a click, and what saves and changes them, below the steps. */
import { useEffect, useState } from "preact/hooks";
import { STEPS_MIN } from "../../src/shared/limits.ts";
import { problemText } from "../api/http.ts";
import type { Segment } from "../api/saved.ts";
import { SavedItems, type Saved } from "../filters/saved-items.tsx";
import { Problem } from "../kit/states.tsx";
import { isCardShown } from "../state/known-sites.ts";
import { useAction } from "../state/requests.ts";
import { navigate, param, type Changes } from "../state/url.ts";
import { loadSavedItems, savedItems } from "../state/view-filters.ts";
import { site } from "../state/view.ts";
import { words } from "../words/words.ts";
import { stepsInUrl, stepText, type StepsParam } from "./steps.tsx";

interface StepKind {
  readonly kind: "funnel" | "sequence";
  /** Its report, which the settings may hide. */
  readonly card: "funnel" | "sequences";
  readonly stepsParam: StepsParam;
  /** The URL parameters of what is saved. */
  readonly params: Readonly<Partial<Record<keyof Saved, string>>>;
}

const KINDS: readonly [StepKind, StepKind] = [
  { kind: "funnel", card: "funnel", stepsParam: "steps", params: { steps: "steps", window: "window", modes: "modes" } },
  { kind: "sequence", card: "sequences", stepsParam: "sequence", params: { steps: "sequence" } },
];

const textOf = ({ steps }: Saved): string => (steps ?? "").split(",").map(stepText).join(" → ");

const fieldsOf = ({ params }: StepKind) => Object.entries(params) as (readonly [keyof Saved, string])[];

const isShown = (of: StepKind, item: Saved): boolean => fieldsOf(of).every(([field, name]) => (item[field] ?? null) === param(name));

const show = (of: StepKind, item: Saved): void =>
  navigate({
    report: of.card,
    ...(Object.fromEntries(fieldsOf(of).map(([field, name]) => [name, item[field] ?? null])) as Changes),
  });

/** All saved reports by name; nothing before the first one is saved. */
export function SavedReports() {
  const siteId = site.value ?? "";
  const { problem, run } = useAction(problemText);
  useEffect(() => void run(() => loadSavedItems(siteId)), [siteId]);
  const items = (savedItems.value ?? []).flatMap((item) => {
    const of = KINDS.find(({ kind, card }) => kind === item.kind && isCardShown(card));
    return of ? [{ item, of }] : [];
  });
  if (items.length === 0) return <Problem text={problem} />;
  return (
    <section class="saved-reports" aria-label={words.explore.saved}>
      <h3>{words.explore.saved}</h3>
      <ul>
        {items.map(({ item, of }) => (
          <li key={item.id}>
            <button
              type="button"
              class="saved-report"
              aria-pressed={param("report") === of.card && isShown(of, item)}
              onClick={() => show(of, item)}
            >
              <strong>{item.name}</strong>
              <span>{words.explore.kinds[of.kind]}</span>
              <span>{textOf(item)}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function SavedSteps({ of }: { readonly of: StepKind }) {
  const [isOpen, setOpen] = useState(false);
  const current =
    stepsInUrl(of.stepsParam).length < STEPS_MIN ? null : Object.fromEntries(fieldsOf(of).map(([field, name]) => [field, param(name)]));
  return (
    <details class="advanced" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{words.saved[of.kind].title}</summary>
      {isOpen && (
        <SavedItems
          kind={of.kind}
          current={current}
          textOf={textOf}
          isShown={(item: Segment) => isShown(of, item)}
          onShow={(item: Segment) => show(of, item)}
        />
      )}
    </details>
  );
}

export const SavedFunnels = () => <SavedSteps of={KINDS[0]} />;
export const SavedSequences = () => <SavedSteps of={KINDS[1]} />;
