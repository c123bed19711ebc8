/** Parts of forms: inputs, groups of choices, and buttons that ask or confirm. */
import { useEffect, useState } from "preact/hooks";
import type { ComponentChildren, RefObject } from "preact";
import { words } from "../words/words.ts";
import { Button } from "./inline.tsx";
import { tip } from "./tips.ts";

interface FormProps {
  readonly class?: string;
  readonly label?: string;
  readonly root?: RefObject<HTMLFormElement | null>;
  readonly onKeyDown?: (event: KeyboardEvent) => void;
  readonly onSubmit: () => void;
  readonly children: ComponentChildren;
}

/** Does not navigate when submitted. */
export const Form = ({ class: className = "form", label, root, onKeyDown, onSubmit, children }: FormProps) => (
  <form
    class={className}
    ref={root}
    aria-label={label}
    onKeyDown={onKeyDown}
    onSubmit={(event) => {
      event.preventDefault();
      onSubmit();
    }}
  >
    {children}
  </form>
);

interface NameInputProps {
  readonly label: string;
  readonly charsMax: number;
  readonly placeholder?: string;
  readonly value: string;
  readonly onInput: (name: string) => void;
}

export const NameInput = ({ label, charsMax, placeholder, value, onInput }: NameInputProps) => (
  <label>
    {label}
    <input
      type="text"
      required
      maxLength={charsMax}
      autocomplete="off"
      placeholder={placeholder}
      value={value}
      onInput={(event) => onInput(event.currentTarget.value)}
    />
  </label>
);

interface RadiosProps<Id extends string> {
  readonly legend: string;
  readonly hint?: string;
  readonly name: string;
  readonly labels: Readonly<Record<Id, string>>;
  readonly chosen: Id;
  readonly onChoose: (id: Id) => void;
}

export const Radios = <Id extends string>({ legend, hint, name, labels, chosen, onChoose }: RadiosProps<Id>) => (
  <fieldset aria-describedby={hint && `${name}-hint`}>
    <legend>{legend}</legend>
    {(Object.keys(labels) as Id[]).map((id) => (
      <label key={id} class="choice">
        <input type="radio" name={name} checked={chosen === id} onChange={() => onChoose(id)} /> {labels[id]}
      </label>
    ))}
    {hint && (
      <p class="hint" id={`${name}-hint`}>
        {hint}
      </p>
    )}
  </fieldset>
);

interface SelectProps<Id extends string> {
  readonly label: string;
  readonly labels: Readonly<Record<Id, string>>;
  readonly chosen: Id;
  readonly onChoose: (id: Id) => void;
  readonly class?: string;
}

export const Select = <Id extends string>({ label, labels, chosen, onChoose, class: className }: SelectProps<Id>) => (
  <label class={className}>
    {label}
    <select value={chosen} onChange={(event) => onChoose(event.currentTarget.value as Id)}>
      {(Object.keys(labels) as Id[]).map((id) => (
        <option key={id} value={id}>
          {labels[id]}
        </option>
      ))}
    </select>
  </label>
);

interface ConfirmedButtonProps {
  readonly label: string;
  readonly confirmLabel: string;
  /** Names the object, for screen readers. */
  readonly subject?: string;
  readonly isSmall?: boolean;
  readonly isDanger?: boolean;
  readonly onConfirm: () => void;
}

/** The first click asks, the second acts. Leaving the button takes the question back. */
export function ConfirmedButton({ label, confirmLabel, subject, isSmall = false, isDanger = true, onConfirm }: ConfirmedButtonProps) {
  const [isConfirming, setConfirming] = useState(false);
  return (
    <button
      type="button"
      class={["button", isSmall && "small", isDanger && "danger"].filter(Boolean).join(" ")}
      onClick={() => {
        setConfirming(!isConfirming);
        if (isConfirming) onConfirm();
      }}
      onBlur={() => setConfirming(false)}
    >
      <span aria-live="polite">{isConfirming ? confirmLabel : label}</span>
      {subject !== undefined && <span class="unseen"> {subject}</span>}
    </button>
  );
}

const CONFIRMATION_MS = 2500;

export function CopyButton({ text, label }: { readonly text: string; readonly label: string }) {
  const [state, setState] = useState<"idle" | "done" | "failed">("idle");
  async function copy() {
    try {
      await navigator.clipboard.writeText(text);
      setState("done");
    } catch {
      setState("failed");
    }
    setTimeout(() => setState("idle"), CONFIRMATION_MS);
  }
  return (
    <Button onClick={() => void copy()}>
      <span aria-live="polite">{{ idle: label, done: words.kit.copied, failed: words.kit.copyByKey }[state]}</span>
    </Button>
  );
}

const TYPING_MS = 200;

/** Follows the text once typing has paused: one request per word instead of one per key. */
export function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}

interface CheckboxProps {
  readonly id?: string;
  readonly title?: string;
  readonly describedBy?: string;
  readonly isChecked: boolean;
  readonly onChange: (isChecked: boolean) => void;
  readonly children: ComponentChildren;
}

export const Checkbox = ({ id, title, describedBy, isChecked, onChange, children }: CheckboxProps) => (
  <label class="choice" {...tip(title)}>
    <input
      type="checkbox"
      id={id}
      aria-describedby={describedBy}
      checked={isChecked}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />{" "}
    {children}
  </label>
);
