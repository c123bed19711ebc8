/** Saved funnels and sequences below the step builder. The list loads when it is opened. */
import { useState } from "preact/hooks";
import { STEPS_MIN } from "../../src/shared/limits.ts";
import type { Segment } from "../api/saved.ts";
import { SavedItems, type Saved } from "../filters/saved-items.tsx";
import { navigate, param } from "../state/url.ts";
import { words } from "../words/words.ts";
import { stepsInUrl, stepText } from "./steps.tsx";

const textOf = ({ steps }: Segment): string => (steps ?? "").split(",").map(stepText).join(" → ");

interface SavedStepsProps {
  readonly kind: "funnel" | "sequence";
  /** URL parameters that are saved. */
  readonly names: readonly (keyof Saved)[];
}

function SavedSteps({ kind, names }: SavedStepsProps) {
  const [isOpen, setOpen] = useState(false);
  const valuesOf = (valueOf: (name: keyof Saved) => string | null | undefined) =>
    Object.fromEntries(names.map((name) => [name, valueOf(name) ?? null]));
  return (
    <details class="advanced" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{words.saved[kind].title}</summary>
      {isOpen && (
        <SavedItems
          kind={kind}
          current={stepsInUrl().length < STEPS_MIN ? null : valuesOf(param)}
          textOf={textOf}
          isShown={(item) => names.every((name) => (item[name] ?? null) === param(name))}
          onShow={(item) => navigate(valuesOf((name) => item[name]))}
        />
      )}
    </details>
  );
}

export const SavedFunnels = () => <SavedSteps kind="funnel" names={["steps", "window", "modes"]} />;
export const SavedSequences = () => <SavedSteps kind="sequence" names={["steps"]} />;
