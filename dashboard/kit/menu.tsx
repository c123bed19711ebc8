/** A menu button (WAI-ARIA menu button pattern): the mouse, the arrow keys or the first letter of an item lead through its items. */
import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import { useCloseOutside } from "./close-outside.ts";
import type { MenuItem } from "./menu-entry.tsx";
import { MenuPopup, type MenuEnd } from "./menu-popup.tsx";

interface MenuProps {
  readonly label: string;
  readonly button: ComponentChildren;
  /** A null is a separator. */
  readonly items: readonly (MenuItem | null)[];
  readonly buttonClass?: string;
  /** Label of a search field, which narrows the items of which one is chosen. */
  readonly search?: string | undefined;
  /** False where a key opens it in place of Tab and Enter. */
  readonly isTabStop?: boolean;
}

/** The arrow keys open a menu at this end. */
const OPENING_KEYS: Readonly<Record<string, MenuEnd>> = { ArrowDown: "start", ArrowUp: "end" };

export function Menu({ label, button, items, buttonClass = "bar-button", search, isTabStop = true }: MenuProps) {
  const [openAt, setOpenAt] = useState<MenuEnd | null>(null);
  const root = useRef<HTMLDivElement>(null);
  const isOpen = openAt !== null;

  useCloseOutside(root, isOpen, () => setOpenAt(null));

  function close() {
    setOpenAt(null);
    root.current?.querySelector("button")?.focus();
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
      </button>
      {openAt !== null && <MenuPopup label={label} items={items} search={search} end={openAt} onClose={close} />}
    </div>
  );
}
