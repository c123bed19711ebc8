/** Steps of funnels and sequences, picked from the pages and events that the site really has. */
import { Picker, type Choice } from "../components/picker.tsx";
import { go, param, period, range, site } from "../state/view.ts";
import { useBreakdown, useFigure } from "../state/use-report.ts";
import { countText } from "../format/numbers.ts";

const PAGES_MAX = 500;

/** As many as the service takes. */
const STEPS_MAX = 32;

/** A comma parts steps, so it is written %2C, and what is called that with a percent sign of its own. */
const encoded = (value: string): string => value.replaceAll(/%(2C)/gi, "%25$1").replaceAll(",", "%2C");
const decoded = (value: string): string =>
  value.replaceAll(/%(25)?(2C)/gi, (_, percent?: string, code?: string) => (percent === undefined ? "," : `%${code}`));

export const pageStep = (path: string): string => `page:${encoded(path)}`;
export const eventStep = (name: string): string => `event:${encoded(name)}`;

export const stepText = (step: string): string => {
  const [kind = "", ...rest] = step.split(":");
  const value = decoded(rest.join(":"));
  if (kind !== "page") return value;
  return value.includes("*") ? `Pages like ${value}` : value;
};

/** The steps in the address. */
export const stepsInAddress = (): string[] => (param("steps") ?? "").split(",").filter((step) => step !== "");

/** What is picked from goes by the period only: a step need not be one that the filters let through. */
export const unfilteredScope = () => ({
  site_id: site.value,
  ...(period.value === "custom" ? { start_date: range.value.start, end_date: range.value.end } : { period: period.value }),
});

/** The site's pages, by visitors. */
export function usePageChoices(): Choice[] {
  const pages = useBreakdown("pages", { ...unfilteredScope(), limit: PAGES_MAX });
  return (pages.data ?? [])
    .filter(({ value }) => value.startsWith("/"))
    .map(({ value, visitors }) => ({ value, label: value, hint: countText(visitors) }));
}

function useStepChoices(): Choice[] {
  const pages = usePageChoices();
  const goals = useFigure("goals", unfilteredScope());
  return [
    ...(goals.data ?? []).map(({ name, visitors }) => ({ value: eventStep(name), label: name, hint: `event, ${countText(visitors)}` })),
    ...pages.map(({ value, hint }) => ({ value: pageStep(value), label: value, ...(hint !== undefined && { hint: `page, ${hint}` }) })),
  ];
}

/** A path with a wildcard stands for all pages like it. */
function wildcard(text: string): Choice | null {
  const path = text.startsWith("page:") ? decoded(text.slice("page:".length)) : text;
  return /^\/.*\*/.test(path) ? { value: pageStep(path), label: `Pages like ${path}`, hint: "wildcard" } : null;
}

export function StepBuilder({ stepsMin = 2 }: { readonly stepsMin?: number }) {
  const choices = useStepChoices();
  const steps = stepsInAddress();
  const set = (next: readonly string[]) => go({ steps: next.join(",") });
  return (
    <div class="steps">
      <ol>
        {steps.map((step, i) => (
          <li key={`${i} ${step}`}>
            <span class="step-number" aria-hidden="true">
              {i + 1}
            </span>
            <Picker
              label={`Step ${i + 1}`}
              choices={choices}
              value={step}
              choiceOf={wildcard}
              onPick={(picked) => set(steps.map((known, at) => (at === i ? picked : known)))}
            />
            <button
              type="button"
              class="icon-button"
              aria-label={`Remove step ${i + 1}`}
              onClick={() => set(steps.filter((_, at) => at !== i))}
            >
              ×
            </button>
          </li>
        ))}
        {steps.length < STEPS_MAX && (
          <li key={`new ${steps.length}`}>
            <span class="step-number" aria-hidden="true">
              {steps.length + 1}
            </span>
            <Picker
              label={`Step ${steps.length + 1}`}
              choices={choices}
              value=""
              placeholder="Pick a page or an event; /blog/* stands for all pages like it"
              choiceOf={wildcard}
              onPick={(picked) => set([...steps, picked])}
            />
          </li>
        )}
      </ol>
      {steps.length < stepsMin && <p class="dim">Pick at least {stepsMin} steps.</p>}
    </div>
  );
}
