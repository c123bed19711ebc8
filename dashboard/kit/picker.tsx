/** A combobox (WAI-ARIA combobox pattern): typing narrows the choices, and only a choice can be picked. Tab picks the typed one. */
import type { RefObject } from "preact";
import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { words } from "../words/words.ts";

const GAP_PX = 4;
/** Distance from the edge of the window. */
const MARGIN_PX = 8;
const HEIGHT_PX_MAX = 264;

function place(input: HTMLElement, list: HTMLElement): void {
  const { left, top, bottom, width } = input.getBoundingClientRect();
  const below = innerHeight - bottom - GAP_PX - MARGIN_PX;
  const above = top - GAP_PX - MARGIN_PX;
  const isBelow = below >= Math.min(HEIGHT_PX_MAX, list.scrollHeight) || below >= above;
  list.style.left = `${left}px`;
  list.style.width = `${width}px`;
  list.style.maxHeight = `${Math.min(HEIGHT_PX_MAX, Math.max(isBelow ? below : above, 0))}px`;
  list.style.top = isBelow ? `${bottom + GAP_PX}px` : "auto";
  list.style.bottom = isBelow ? "auto" : `${innerHeight - top + GAP_PX}px`;
}

/** Keeps the open list beside its input, above it if there is more room. It is fixed, so that no scrolling box cuts it. */
function useListPlace(input: RefObject<HTMLElement | null>, list: RefObject<HTMLElement | null>, isOpen: boolean): void {
  useLayoutEffect(() => {
    if (isOpen && input.current && list.current) place(input.current, list.current);
  });
  useLayoutEffect(() => {
    if (!isOpen) return undefined;
    const moved = () => input.current && list.current && place(input.current, list.current);
    addEventListener("scroll", moved, { capture: true, passive: true });
    addEventListener("resize", moved);
    return () => {
      removeEventListener("scroll", moved, { capture: true });
      removeEventListener("resize", moved);
    };
  }, [isOpen]);
}

export interface Choice {
  readonly value: string;
  readonly label: string;
  /** Shown beside the label, e.g. the number of visitors. */
  readonly hint?: string;
  /** Lists an additional choice after those that match. */
  readonly isLast?: boolean;
}

interface PickerProps {
  /** Connects a label. */
  readonly inputId?: string;
  /** Ids of descriptions. */
  readonly describedBy?: string;
  readonly isInvalid?: boolean;
  readonly label: string;
  readonly choices: readonly Choice[];
  readonly isLoading?: boolean;
  readonly value: string;
  readonly placeholder?: string;
  readonly onPick: (value: string) => void;
  /** An additional choice for the typed text, e.g. a path with a wildcard. */
  readonly choiceOf?: (typed: string) => Choice | null;
  /** Loads choices that depend on the typed text. */
  readonly onType?: (typed: string) => void;
}

export type Choices = Required<Pick<PickerProps, "choices" | "isLoading">>;

const SHOWN_MAX = 50;

/**
 * Choices whose label contains the text: the equal label first, then those that begin with it. The choice of `choiceOf` stands before or
 * after them.
 */
function matching(choices: readonly Choice[], text: string, choiceOf: PickerProps["choiceOf"]): Choice[] {
  const extra = text === "" ? null : (choiceOf?.(text) ?? null);
  const wanted = text.toLowerCase();
  const rankOf = ({ label }: Choice) => (label.toLowerCase() === wanted ? 0 : label.toLowerCase().startsWith(wanted) ? 1 : 2);
  const matches = choices
    .filter((choice) => choice.label.toLowerCase().includes(wanted) && choice.value !== extra?.value)
    .toSorted((a, b) => rankOf(a) - rankOf(b))
    .slice(0, SHOWN_MAX);
  if (!extra) return matches;
  return extra.isLast === true ? [...matches, extra] : [extra, ...matches];
}

/** `typed` is null before any typing; `moved` is the choice highlighted by arrow keys. */
interface Opened {
  readonly typed: string | null;
  readonly moved: number | null;
}

/** State of a picker, and its reactions to keys, clicks and typing. */
function useChoices({ choices, value, onPick, choiceOf, onType }: PickerProps) {
  const [opened, setOpened] = useState<Opened | null>(null);
  const shown = matching(choices, opened?.typed?.trim() ?? "", choiceOf);
  /** Initially the picked choice, or the first match. */
  const active = opened?.moved ?? Math.max(opened?.typed == null ? shown.findIndex((choice) => choice.value === value) : 0, 0);
  const current = choices.find((choice) => choice.value === value)?.label ?? choiceOf?.(value)?.label ?? value;

  function open() {
    setOpened((before) => before ?? { typed: null, moved: null });
  }

  const close = () => setOpened(null);

  function pick(choice: Choice | undefined) {
    close();
    if (choice) onPick(choice.value);
  }

  function type(typed: string) {
    setOpened({ typed, moved: null });
    onType?.(typed.trim());
  }

  function onArrow(event: KeyboardEvent, step: 1 | -1) {
    event.preventDefault();
    if (!opened) open();
    else if (event.altKey) close();
    else setOpened({ ...opened, moved: (active + step + shown.length) % Math.max(shown.length, 1) });
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.key === "ArrowDown") onArrow(event, 1);
    else if (event.key === "ArrowUp") onArrow(event, -1);
    else if (!opened) return;
    else if (event.key === "Tab" && opened.typed) pick(shown[active]);
    else if (event.key === "Enter") {
      event.preventDefault();
      pick(shown[active]);
    } else if (event.key === "Escape") {
      event.preventDefault();
      event.stopPropagation();
      close();
    }
  }

  return { isOpen: opened !== null, text: opened?.typed ?? current, shown, active, open, close, pick, type, onKeyDown };
}

export function Picker(props: PickerProps) {
  const { inputId, describedBy, isInvalid = false, label, isLoading = false, placeholder } = props;
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLUListElement>(null);
  const { isOpen, text, shown, active, open, close, pick, type, onKeyDown } = useChoices(props);

  useListPlace(input, list, isOpen);
  useEffect(() => {
    list.current?.children[active]?.scrollIntoView({ block: "nearest" });
  }, [active, isOpen]);

  return (
    <div class="picker">
      <input
        ref={input}
        role="combobox"
        type="text"
        id={inputId}
        aria-label={label}
        aria-describedby={describedBy}
        aria-invalid={isInvalid}
        aria-expanded={isOpen}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={isOpen && shown.length > 0 ? `${id}-${active}` : undefined}
        autocomplete="off"
        spellcheck={false}
        placeholder={placeholder}
        value={text}
        onFocus={(event) => event.currentTarget.select()}
        onClick={open}
        onInput={(event) => type(event.currentTarget.value)}
        onKeyDown={onKeyDown}
        onBlur={close}
      />
      <ul id={`${id}-list`} role="listbox" aria-label={label} ref={list} hidden={!isOpen}>
        {isOpen && shown.length === 0 && (
          <li role="option" aria-selected={false} aria-disabled="true" class="none">
            {isLoading ? words.kit.loadingChoices : words.kit.noMatches}
          </li>
        )}
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
      </ul>
    </div>
  );
}
