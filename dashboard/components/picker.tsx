/** A combobox (WAI-ARIA combobox pattern): typing narrows the list of choices, and only a choice can be picked. */
import { useEffect, useId, useRef, useState } from "preact/hooks";

export interface Choice {
  readonly value: string;
  readonly label: string;
  /** Shown beside the label, e.g. the number of visitors. */
  readonly hint?: string;
}

interface PickerProps {
  readonly label: string;
  readonly choices: readonly Choice[];
  readonly value: string;
  readonly placeholder?: string;
  readonly onPick: (value: string) => void;
  /** An additional choice made from the typed text, e.g. a path with a wildcard. */
  readonly choiceOf?: (typed: string) => Choice | null;
}

const SHOWN_MAX = 50;

interface OptionsProps {
  readonly id: string;
  readonly choices: readonly Choice[];
  /** The index of the highlighted choice. */
  readonly active: number;
  readonly onPick: (choice: Choice) => void;
}

function Options({ id, choices, active, onPick }: OptionsProps) {
  if (choices.length === 0) {
    return (
      <li role="option" aria-selected={false} aria-disabled="true" class="none">
        No matches
      </li>
    );
  }
  return choices.map((choice, i) => (
    <li
      key={choice.value}
      id={`${id}-${i}`}
      role="option"
      aria-selected={i === active}
      onMouseDown={(event) => {
        event.preventDefault();
        onPick(choice);
      }}
    >
      <span>{choice.label}</span>
      {choice.hint !== undefined && <small>{choice.hint}</small>}
    </li>
  ));
}

export function Picker({ label, choices, value, placeholder, onPick, choiceOf }: PickerProps) {
  const id = useId();
  const [typed, setTyped] = useState<string | null>(null);
  const [active, setActive] = useState(0);
  const list = useRef<HTMLUListElement>(null);
  const isOpen = typed !== null;
  const search = (typed ?? "").trim();
  const additional = search === "" ? null : (choiceOf?.(search) ?? null);
  const matches = choices.filter((choice) => choice.label.toLowerCase().includes(search.toLowerCase()));
  const shown = [...(additional ? [additional] : []), ...matches].slice(0, SHOWN_MAX);
  const current = choices.find((choice) => choice.value === value)?.label ?? choiceOf?.(value)?.label ?? value;

  useEffect(() => {
    list.current?.children[active]?.scrollIntoView({ block: "nearest" });
  }, [active]);

  function pick(choice: Choice | undefined) {
    setTyped(null);
    if (choice) onPick(choice.value);
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      if (!isOpen) setTyped("");
      else setActive((active + (event.key === "ArrowDown" ? 1 : shown.length - 1)) % Math.max(shown.length, 1));
    } else if (event.key === "Enter" && isOpen) {
      event.preventDefault();
      pick(shown[active]);
    } else if (event.key === "Escape" && isOpen) {
      event.preventDefault();
      event.stopPropagation();
      setTyped(null);
    }
  }

  return (
    <div class="picker">
      <input
        role="combobox"
        type="text"
        aria-label={label}
        aria-expanded={isOpen}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={isOpen && shown.length > 0 ? `${id}-${active}` : undefined}
        autocomplete="off"
        spellcheck={false}
        placeholder={placeholder}
        value={typed ?? current}
        onFocus={(event) => event.currentTarget.select()}
        onClick={() => setTyped(typed ?? "")}
        onInput={(event) => {
          setTyped(event.currentTarget.value);
          setActive(0);
        }}
        onKeyDown={onKeyDown}
        onBlur={() => setTyped(null)}
      />
      <ul id={`${id}-list`} role="listbox" aria-label={label} ref={list} hidden={!isOpen}>
        {isOpen && <Options id={id} choices={shown} active={active} onPick={pick} />}
      </ul>
    </div>
  );
}
