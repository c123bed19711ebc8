/** A text field that picks from what there is: typing narrows the list, nothing else than what is on it can be chosen. */
import { useEffect, useId, useRef, useState } from "preact/hooks";

export interface Choice {
  readonly value: string;
  readonly label: string;
  /** Shown beside it, such as a number of visitors or a group. */
  readonly hint?: string;
}

interface PickerProps {
  readonly label: string;
  readonly choices: readonly Choice[];
  readonly value: string;
  readonly placeholder?: string;
  readonly onPick: (value: string) => void;
  /** Makes a further choice of what is typed, such as a path with a wildcard. */
  readonly choiceOf?: (typed: string) => Choice | null;
}

const SHOWN_MAX = 50;

export function Picker({ label, choices, value, placeholder, onPick, choiceOf }: PickerProps) {
  const id = useId();
  const [typed, setTyped] = useState<string | null>(null);
  const [active, setActive] = useState(0);
  const list = useRef<HTMLUListElement>(null);
  const isOpen = typed !== null;
  const wanted = (typed ?? "").trim().toLowerCase();
  const made = wanted === "" ? null : (choiceOf?.((typed ?? "").trim()) ?? null);
  const found = choices.filter((choice) => choice.label.toLowerCase().includes(wanted));
  const shown = [...(made ? [made] : []), ...found].slice(0, SHOWN_MAX);
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
        {isOpen &&
          shown.map((choice, i) => (
            <li
              key={choice.value}
              id={`${id}-${i}`}
              role="option"
              aria-selected={i === active}
              onMouseDown={(event) => {
                event.preventDefault();
                pick(choice);
              }}
            >
              <span>{choice.label}</span>
              {choice.hint !== undefined && <small>{choice.hint}</small>}
            </li>
          ))}
        {isOpen && shown.length === 0 && (
          <li role="option" aria-selected={false} aria-disabled="true" class="none">
            Nothing like that
          </li>
        )}
      </ul>
    </div>
  );
}
