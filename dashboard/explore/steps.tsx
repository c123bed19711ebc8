/** Steps of funnels and sequences: their encoding in the URL, and the builder that picks them from pages and events. */
import { useLayoutEffect, useRef } from "preact/hooks";
import { CONDITIONS_MAX } from "../../src/shared/limits.ts";
import { readablePath } from "../../src/shared/paths.ts";
import { escapeCommas, unescapeCommas } from "../../src/shared/steps.ts";
import { formatCount } from "../format/locale.ts";
import { CrossButton } from "../kit/inline.tsx";
import { Picker, type Choice, type Choices } from "../kit/picker.tsx";
import { isLoading, useBreakdown, useReport } from "../state/requests.ts";
import { unfilteredScope } from "../state/scope.ts";
import { navigate, param } from "../state/url.ts";
import { fill, words } from "../words/words.ts";

const PAGES_MAX = 500;

const pageStep = (path: string): string => `page:${escapeCommas(path)}`;
const eventStep = (name: string): string => `event:${escapeCommas(name)}`;

const pagesMatching = (path: string): string => fill(words.explore.pagesMatching, { path: readablePath(path) });

export function stepText(step: string): string {
  const [kind = "", ...rest] = step.split(":");
  const value = unescapeCommas(rest.join(":"));
  if (kind !== "page") return value;
  return value.includes("*") ? pagesMatching(value) : readablePath(value);
}

/** Funnels and sequences keep steps of their own. */
export type StepsParam = "steps" | "sequence";

export const stepsInUrl = (name: StepsParam): string[] => (param(name) ?? "").split(",").filter((step) => step !== "");

/** Pages by visitors. Filters do not apply: a step may be a page that they exclude. */
export function usePageChoices(): Choices {
  const pages = useBreakdown("pages", { ...unfilteredScope.value, limit: PAGES_MAX });
  const choices = (pages.data ?? [])
    .filter(({ value }) => value.startsWith("/"))
    .map(({ value, visitors }) => ({ value, label: readablePath(value), hint: formatCount(visitors) }));
  return { choices, isLoading: isLoading(pages) };
}

function useStepChoices(): Choices {
  const pages = usePageChoices();
  const goals = useReport("goals", unfilteredScope.value);
  const choices = [
    ...(goals.data ?? []).map(({ name, visitors }) => ({
      value: eventStep(name),
      label: name,
      hint: fill(words.explore.eventHint, { visitors: formatCount(visitors) }),
    })),
    ...pages.choices.map(({ value, label, hint }) => ({
      value: pageStep(value),
      label,
      ...(hint !== undefined && { hint: fill(words.explore.pageHint, { visitors: hint }) }),
    })),
  ];
  return { choices, isLoading: pages.isLoading || isLoading(goals) };
}

/** Offers a typed path with a wildcard, or names a step that is one. */
function wildcardChoice(text: string): Choice | null {
  const path = text.startsWith("page:") ? unescapeCommas(text.slice("page:".length)) : text;
  return /^\/.*\*/.test(path) ? { value: pageStep(path), label: pagesMatching(path), hint: words.explore.wildcard } : null;
}

interface StepPickerProps extends Choices {
  readonly number: number;
  /** Empty for a new step. */
  readonly value: string;
  readonly onPick: (step: string) => void;
  readonly onRemove?: () => void;
}

/** Adds a choice for a step that is not among the choices, for example until they have loaded. */
const withStep = (choices: readonly Choice[], step: string): readonly Choice[] =>
  step === "" || choices.some(({ value }) => value === step) ? choices : [...choices, { value: step, label: stepText(step) }];

const StepPicker = ({ number, choices, isLoading: areLoading, value, onPick, onRemove }: StepPickerProps) => (
  <li>
    <span class="step-number" aria-hidden="true">
      {number}
    </span>
    <Picker
      label={fill(words.explore.step, { number })}
      choices={withStep(choices, value)}
      isLoading={areLoading}
      value={value}
      choiceOf={wildcardChoice}
      placeholder={words.explore.selectStep}
      onPick={onPick}
    />
    {onRemove && (
      <CrossButton
        label={fill(words.explore.removeStep, { number })}
        onClick={(event) => {
          // The button of the next step takes its place; that of the last step goes.
          const item = event.currentTarget.closest("li");
          if (!item?.nextElementSibling?.querySelector("button")) item?.querySelector("input")?.focus();
          onRemove();
        }}
      />
    )}
  </li>
);

export function StepBuilder({ param: name }: { readonly param: StepsParam }) {
  const choices = useStepChoices();
  const steps = stepsInUrl(name);
  const list = useRef<HTMLOListElement>(null);
  const isAdding = useRef(false);
  // The field of the next step gets the focus once a step is added.
  useLayoutEffect(() => {
    if (isAdding.current) list.current?.querySelector<HTMLElement>("li:last-child input")?.focus();
    isAdding.current = false;
  }, [steps.length]);
  const set = (next: readonly string[]) => navigate({ [name]: next.join(",") });
  return (
    <div class="steps">
      <ol ref={list}>
        {[...steps, ""].slice(0, CONDITIONS_MAX).map((step, i) => (
          <StepPicker
            key={i}
            number={i + 1}
            {...choices}
            value={step}
            onPick={(picked) => {
              isAdding.current = step === "";
              set(step === "" ? [...steps, picked] : steps.with(i, picked));
            }}
            {...(step !== "" && { onRemove: () => set(steps.toSpliced(i, 1)) })}
          />
        ))}
      </ol>
    </div>
  );
}
