/** A menu button (WAI-ARIA menu pattern) for the mouse and the arrow keys. */
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

interface MenuItem {
  readonly label: ComponentChildren;
  /** E.g. its keyboard shortcut. */
  readonly hint?: string;
  /** Makes it one of a group of which one is chosen. */
  readonly isChosen?: boolean;
  readonly onChoose: () => void;
}

interface MenuProps {
  readonly label: string;
  readonly button: ComponentChildren;
  /** A null is a separator. */
  readonly items: readonly (MenuItem | null)[];
  readonly buttonClass?: string;
}

function MenuEntry({ item, onClose }: { readonly item: MenuItem; readonly onClose: () => void }) {
  const { label, hint, isChosen, onChoose } = item;
  return (
    <button
      type="button"
      tabIndex={-1}
      role={isChosen === undefined ? "menuitem" : "menuitemradio"}
      aria-checked={isChosen}
      onClick={() => {
        onClose();
        onChoose();
      }}
    >
      <span>{label}</span>
      {hint !== undefined && <kbd>{hint}</kbd>}
    </button>
  );
}

export function Menu({ label, button, items, buttonClass = "bar-button" }: MenuProps) {
  const [isOpen, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);

  useEffect(() => {
    if (!isOpen) return;
    root.current?.querySelector<HTMLElement>('[aria-checked="true"], [role^="menuitem"]')?.focus();
    const closeOutside = (event: Event) => {
      if (!root.current?.contains(event.target as Node)) setOpen(false);
    };
    document.addEventListener("pointerdown", closeOutside);
    return () => document.removeEventListener("pointerdown", closeOutside);
  }, [isOpen]);

  function close() {
    setOpen(false);
    root.current?.querySelector("button")?.focus();
  }

  function onKeyDown(event: KeyboardEvent) {
    if (!isOpen) return;
    const entries = [...(root.current?.querySelectorAll<HTMLElement>('[role^="menuitem"]') ?? [])];
    const index = entries.indexOf(document.activeElement as HTMLElement);
    const next = { ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: entries.length - 1 }[event.key];
    if (event.key === "Tab") setOpen(false);
    else event.stopPropagation();
    if (event.key === "Escape") close();
    if (next === undefined) return;
    event.preventDefault();
    entries[(next + entries.length) % entries.length]?.focus();
  }

  return (
    <div class="menu" ref={root} onKeyDown={onKeyDown}>
      <button
        type="button"
        class={buttonClass}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-label={label}
        onClick={() => setOpen(!isOpen)}
      >
        {button}
      </button>
      {isOpen && (
        <div class="menu-list" role="menu" aria-label={label}>
          {items.map((item, i) => (item === null ? <hr key={i} /> : <MenuEntry key={i} item={item} onClose={close} />))}
        </div>
      )}
    </div>
  );
}
