/** A button with a list below it, worked by mouse or arrow keys. */
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

export interface MenuItem {
  readonly label: ComponentChildren;
  readonly hint?: string;
  readonly isChosen?: boolean;
  readonly onChoose: () => void;
}

interface MenuProps {
  readonly label: string;
  readonly button: ComponentChildren;
  readonly items: readonly (MenuItem | null)[];
  readonly buttonClass?: string;
}

/** A null among the items is a line. */
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
    const at = entries.indexOf(document.activeElement as HTMLElement);
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: entries.length - 1 }[event.key];
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
          {items.map((item, i) =>
            item === null ? (
              <hr key={i} />
            ) : (
              <button
                key={i}
                type="button"
                tabIndex={-1}
                role={item.isChosen === undefined ? "menuitem" : "menuitemradio"}
                aria-checked={item.isChosen}
                onClick={() => {
                  close();
                  item.onChoose();
                }}
              >
                <span>{item.label}</span>
                {item.hint !== undefined && <kbd>{item.hint}</kbd>}
              </button>
            ),
          )}
        </div>
      )}
    </div>
  );
}
