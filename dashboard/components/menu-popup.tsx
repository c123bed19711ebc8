/** The open menu: its items, what its keys do (WAI-ARIA menu pattern), and the search field of a long one. */
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { isTouchScreen } from "./touch-screen.ts";

export interface MenuItem {
  readonly label: string;
  /** Before the label. */
  readonly icon?: ComponentChildren;
  /** Its keyboard shortcut, which also works in the open menu. */
  readonly hint?: string;
  /** Makes it one of a group of which one is chosen. */
  readonly isChosen?: boolean;
  /** Makes it a switch that is on or off. */
  readonly isChecked?: boolean;
  readonly onChoose: () => void;
}

export type MenuEnd = "start" | "end";

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

const textOf = (entry: HTMLElement): string => entry.querySelector(".menu-text")?.textContent?.toLowerCase() ?? "";

/** The entry that an arrow key, Home, End or a letter leads to. */
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

interface MenuPopupProps {
  readonly label: string;
  readonly items: readonly (MenuItem | null)[];
  readonly search: string | undefined;
  readonly end: MenuEnd;
  readonly onClose: () => void;
}

export function MenuPopup({ label, items, search, end, onClose }: MenuPopupProps) {
  const root = useRef<HTMLDivElement>(null);
  const [typed, setTyped] = useState("");
  const wanted = typed.trim().toLowerCase();
  const shown = items.filter((item) => item?.isChosen === undefined || item.label.toLowerCase().includes(wanted));

  const entries = () => [...(root.current?.querySelectorAll<HTMLElement>('[role^="menuitem"]') ?? [])];
  /** The chosen item, unless its group is a further one. */
  const chosen = () => root.current?.querySelector<HTMLElement>('[role="menuitemradio"][aria-checked="true"]:not(hr ~ *)');

  useLayoutEffect(() => {
    const item = chosen() ?? entries().at(end === "start" ? 0 : -1);
    item?.scrollIntoView({ block: "nearest" });
    (isTouchScreen() ? item : (root.current?.querySelector("input") ?? item))?.focus({ preventScroll: true });
  }, []);

  /** In the search field, Enter chooses the first match. */
  function onSearchKey(event: KeyboardEvent) {
    const [first] = entries();
    if (!["Enter", "ArrowDown", "ArrowUp"].includes(event.key)) return;
    // Else Enter would open the menu again, whose button then has the focus.
    event.preventDefault();
    if (event.key === "ArrowUp") entries().at(-1)?.focus();
    else if (event.key === "ArrowDown") ((wanted === "" && chosen()) || first)?.focus();
    else if (wanted !== "" && first?.role === "menuitemradio") first.click();
  }

  function onItemKey(event: KeyboardEvent) {
    const { key } = event;
    const hinted = shown.find((item) => item?.hint?.toLowerCase() === key.toLowerCase());
    const next = entryFor(key, entries(), event.target);
    if (hinted || next) event.preventDefault();
    if (hinted) {
      onClose();
      hinted.onChoose();
    } else if (next) next.focus();
    else if (key.length === 1 && key !== " ") root.current?.querySelector("input")?.focus();
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    // No shortcut of the page.
    event.stopPropagation();
    if (event.key === "Escape" || event.key === "Tab") onClose();
    else if (event.target instanceof HTMLInputElement) onSearchKey(event);
    else onItemKey(event);
  }

  return (
    <div class="menu-list" ref={root} onKeyDown={onKeyDown}>
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
          No matches
        </p>
      )}
      <div role="menu" aria-label={label}>
        {shown.map((item, i) => (item === null ? <hr key={i} /> : <MenuEntry key={item.label} item={item} onClose={onClose} />))}
      </div>
    </div>
  );
}
