/** A menu button (WAI-ARIA menu button pattern): mouse, arrow keys and first letters move through its items. */
import type { ComponentChildren, RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { words } from "../words/words.ts";
import { hasModifier, isTouchScreen } from "./pointing.ts";

export function useCloseOutside(root: RefObject<HTMLElement | null>, isOpen: boolean, close: () => void): void {
  useEffect(() => {
    if (!isOpen) return;
    const closeOutside = (event: Event) => {
      if (!root.current?.contains(event.target as Node)) close();
    };
    document.addEventListener("pointerdown", closeOutside);
    return () => document.removeEventListener("pointerdown", closeOutside);
  }, [isOpen]);
}

export interface MenuItem {
  readonly label: string;
  readonly icon?: ComponentChildren;
  /** Keyboard shortcut, which also works in the open menu. */
  readonly hint?: string;
  /** Makes the item a radio button. */
  readonly isChosen?: boolean;
  /** Makes the item a checkbox. */
  readonly isChecked?: boolean;
  readonly onChoose: () => void;
}

function roleOf({ isChosen, isChecked }: MenuItem) {
  if (isChosen !== undefined) return "menuitemradio";
  return isChecked === undefined ? "menuitem" : "menuitemcheckbox";
}

function MenuEntry({ item, onClose }: { readonly item: MenuItem; readonly onClose: () => void }) {
  const { label, icon, hint, isChosen, isChecked, onChoose } = item;
  return (
    <button
      type="button"
      tabIndex={-1}
      role={roleOf(item)}
      aria-checked={isChosen ?? isChecked}
      onClick={() => {
        onClose();
        onChoose();
      }}
    >
      {icon}
      <span class="menu-text">{label}</span>
      {isChecked === true && <span aria-hidden="true">✓</span>}
      {hint !== undefined && <kbd>{hint}</kbd>}
    </button>
  );
}

interface OpenMenu {
  readonly root: HTMLElement;
  readonly items: readonly (MenuItem | null)[];
  /** A search has narrowed the items. */
  readonly isNarrowed: boolean;
  readonly onClose: () => void;
}

const entriesIn = (root: HTMLElement): HTMLElement[] => [...root.querySelectorAll<HTMLElement>('[role^="menuitem"]')];

/** The chosen item, if the menu consists of choices. Menus of actions may contain further groups of choices. */
const chosenIn = (root: HTMLElement): HTMLElement | null =>
  entriesIn(root)[0]?.role === "menuitemradio" ? root.querySelector('[role="menuitemradio"][aria-checked="true"]') : null;

const textOf = (entry: HTMLElement): string => entry.querySelector(".menu-text")?.textContent?.toLowerCase() ?? "";

/** Handles arrow keys, Home, End and first letters. */
function entryFor(key: string, entries: readonly HTMLElement[], focused: EventTarget | null): HTMLElement | undefined {
  const index = entries.indexOf(focused as HTMLElement);
  const after = [...entries.slice(index + 1), ...entries.slice(0, index + 1)];
  switch (key) {
    case "ArrowDown":
      return after[0];
    case "ArrowUp":
      return entries.at(Math.max(index, 0) - 1);
    case "Home":
      return entries[0];
    case "End":
      return entries.at(-1);
    default:
      return after.find((entry) => textOf(entry).startsWith(key.toLowerCase()));
  }
}

/** Enter chooses the first match. */
function onSearchKey(event: KeyboardEvent, { root, isNarrowed }: OpenMenu): void {
  const entries = entriesIn(root);
  const [first] = entries;
  if (!["Enter", "ArrowDown", "ArrowUp"].includes(event.key)) return;
  // Else Enter would open the menu again, whose button then has the focus.
  event.preventDefault();
  if (event.key === "ArrowUp") entries.at(-1)?.focus();
  else if (event.key === "ArrowDown") ((!isNarrowed && chosenIn(root)) || first)?.focus();
  else if (isNarrowed && first?.role === "menuitemradio") first.click();
}

function onItemKey(event: KeyboardEvent, { root, items, onClose }: OpenMenu): void {
  const { key } = event;
  const hinted = items.find((item) => item?.hint?.toLowerCase() === key.toLowerCase());
  const next = entryFor(key, entriesIn(root), event.target);
  if (hinted || next) event.preventDefault();
  if (hinted) {
    onClose();
    hinted.onChoose();
  } else if (next) next.focus();
  else if (key.length === 1 && key !== " ") root.querySelector("input")?.focus();
}

function onMenuKey(event: KeyboardEvent, menu: OpenMenu): void {
  if (hasModifier(event)) return;
  // No shortcut of the page, and Escape closes no dialog around the menu.
  event.stopPropagation();
  if (event.key === "Escape") event.preventDefault();
  if (event.key === "Escape" || event.key === "Tab") menu.onClose();
  else if (event.target instanceof HTMLInputElement) onSearchKey(event, menu);
  else onItemKey(event, menu);
}

type MenuEnd = "start" | "end";

interface MenuPopupProps {
  readonly label: string;
  readonly items: readonly (MenuItem | null)[];
  /** Stay in sight below the others, which scroll. */
  readonly pinnedItems?: readonly MenuItem[] | undefined;
  readonly search?: string | undefined;
  readonly note?: string | undefined;
  readonly end: MenuEnd;
  readonly onClose: () => void;
}

const EDGE_PX = 8;

/**
 * The list of a button in a box that scrolls is fixed, so that the box does not cut it: below the button, or above it where there is more
 * room, and within the window.
 */
function fixBesideButton(root: HTMLElement, button: DOMRect): void {
  const { clientWidth, clientHeight } = document.documentElement;
  const [above, below] = [button.top - EDGE_PX, clientHeight - button.bottom - EDGE_PX];
  const isBelow = root.offsetHeight <= below || below >= above;
  const height = Math.min(root.offsetHeight, isBelow ? below : above);
  root.style.left = `${Math.max(Math.min(button.left, clientWidth - root.offsetWidth - EDGE_PX), EDGE_PX)}px`;
  root.style.top = `${isBelow ? button.bottom : button.top - height}px`;
  root.style.maxHeight = `${height}px`;
}

const isFixed = (root: HTMLElement): boolean => getComputedStyle(root).position === "fixed";

/** Opens upwards where there is more room, and is never higher than the window: the page does not scroll. */
function fitInWindow(root: HTMLElement): void {
  const anchor = root.offsetParent?.getBoundingClientRect();
  const { top, height } = root.getBoundingClientRect();
  const below = document.documentElement.clientHeight - top - EDGE_PX;
  if (!anchor || height <= below) return;
  const above = anchor.top - (document.querySelector(".bar")?.getBoundingClientRect().bottom ?? 0) - EDGE_PX;
  if (above > below) root.dataset["side"] = "up";
  root.style.maxHeight = `${Math.min(height, Math.max(above, below))}px`;
}

/** Focuses the search field, else the chosen item, else the first or last. Touch screens keep their keyboard closed. */
function focusAtFirst(root: HTMLElement, end: MenuEnd): void {
  const item = chosenIn(root) ?? entriesIn(root).at(end === "start" ? 0 : -1);
  item?.scrollIntoView({ block: "nearest" });
  (isTouchScreen() ? item : (root.querySelector("input") ?? item))?.focus({ preventScroll: true });
}

export function MenuPopup({ label, items, pinnedItems = [], search, note, end, onClose }: MenuPopupProps) {
  const root = useRef<HTMLDivElement>(null);
  const [typed, setTyped] = useState("");
  const wanted = typed.trim().toLowerCase();
  const shown = items.filter((item) => item?.isChosen === undefined || item.label.toLowerCase().includes(wanted));

  useLayoutEffect(() => {
    const list = root.current;
    if (!list) return undefined;
    const button = list.parentElement?.getBoundingClientRect();
    if (isFixed(list) && button) fixBesideButton(list, button);
    else fitInWindow(list);
    focusAtFirst(list, end);
    // Its button moves away.
    const onScroll = ({ target }: Event) => {
      if (isFixed(list) && !list.contains(target as Node)) onClose();
    };
    addEventListener("scroll", onScroll, { capture: true, passive: true });
    return () => removeEventListener("scroll", onScroll, { capture: true });
  }, []);

  return (
    <div
      class="menu-list"
      ref={root}
      onKeyDown={(event) =>
        onMenuKey(event, { root: event.currentTarget, items: [...shown, ...pinnedItems], isNarrowed: wanted !== "", onClose })
      }
    >
      {search !== undefined && (
        <input
          type="search"
          aria-label={search}
          placeholder={search}
          value={typed}
          onInput={(event) => setTyped(event.currentTarget.value)}
        />
      )}
      {wanted !== "" && !shown.some((item) => item?.isChosen !== undefined) && (
        <p class="dim" role="status">
          {words.kit.noMatches}
        </p>
      )}
      {note !== undefined && <p class="menu-note">{note}</p>}
      <div role="menu" aria-label={note === undefined ? label : `${label}: ${note}`}>
        <div class="menu-items" role="presentation">
          {shown.map((item, i) => (item === null ? <hr key={i} /> : <MenuEntry key={item.label} item={item} onClose={onClose} />))}
        </div>
        {pinnedItems.length > 0 && (
          <div class="menu-pinned" role="group">
            {pinnedItems.map((item) => (
              <MenuEntry key={item.label} item={item} onClose={onClose} />
            ))}
          </div>
        )}
      </div>
    </div>
  );
}

interface MenuProps {
  readonly label: string;
  readonly button: ComponentChildren;
  readonly hasCaret?: boolean;
  /** null is a separator. */
  readonly items: readonly (MenuItem | null)[];
  /** Stay in sight below the others, which scroll. */
  readonly pinnedItems?: readonly MenuItem[];
  readonly buttonClass?: string;
  /** Label of a search field, which narrows the choices. */
  readonly search?: string | undefined;
  /** Stands above the items: what they are about. */
  readonly note?: string | undefined;
  /** False where another key opens the menu. */
  readonly isTabStop?: boolean;
}

/** Arrow keys open the menu at this end. */
const OPENING_KEYS: Readonly<Record<string, MenuEnd>> = { ArrowDown: "start", ArrowUp: "end" };

export function Menu({
  label,
  button,
  hasCaret = false,
  items,
  pinnedItems,
  buttonClass = "bar-button",
  search,
  note,
  isTabStop = true,
}: MenuProps) {
  const [openAt, setOpenAt] = useState<MenuEnd | null>(null);
  const root = useRef<HTMLDivElement>(null);
  const isOpen = openAt !== null;

  useCloseOutside(root, isOpen, () => setOpenAt(null));

  function close() {
    setOpenAt(null);
    root.current?.querySelector("button")?.focus({ preventScroll: true });
  }

  function onKeyDown(event: KeyboardEvent) {
    const end = OPENING_KEYS[event.key];
    if (end === undefined) return;
    event.preventDefault();
    setOpenAt(end);
  }

  return (
    <div class="menu" ref={root}>
      <button
        type="button"
        class={buttonClass}
        tabIndex={isTabStop ? undefined : -1}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-label={label}
        onClick={() => setOpenAt(isOpen ? null : "start")}
        onKeyDown={onKeyDown}
      >
        {button}
        {hasCaret && (
          <>
            {" "}
            <span class="caret" aria-hidden="true" />
          </>
        )}
      </button>
      {openAt !== null && (
        <MenuPopup label={label} items={items} pinnedItems={pinnedItems} search={search} note={note} end={openAt} onClose={close} />
      )}
    </div>
  );
}
