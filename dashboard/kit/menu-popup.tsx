/** The open menu: its items, and the search field of a long one. */
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { MenuEntry, type MenuItem } from "./menu-entry.tsx";
import { chosenIn, entriesIn, onMenuKey } from "./menu-keys.ts";
import { isTouchScreen } from "./touch-screen.ts";

export type MenuEnd = "start" | "end";

interface MenuPopupProps {
  readonly label: string;
  readonly items: readonly (MenuItem | null)[];
  readonly search: string | undefined;
  readonly end: MenuEnd;
  readonly onClose: () => void;
}

/** On the search field, else on the chosen item, else on the first or last one. A touch screen's keyboard stays closed. */
function focusAtFirst(root: HTMLElement, end: MenuEnd): void {
  const item = chosenIn(root) ?? entriesIn(root).at(end === "start" ? 0 : -1);
  root.scrollIntoView({ block: "nearest" });
  item?.scrollIntoView({ block: "nearest" });
  (isTouchScreen() ? item : (root.querySelector("input") ?? item))?.focus({ preventScroll: true });
}

export function MenuPopup({ label, items, search, end, onClose }: MenuPopupProps) {
  const root = useRef<HTMLDivElement>(null);
  const [typed, setTyped] = useState("");
  const wanted = typed.trim().toLowerCase();
  const shown = items.filter((item) => item?.isChosen === undefined || item.label.toLowerCase().includes(wanted));

  useLayoutEffect(() => {
    if (root.current) focusAtFirst(root.current, end);
  }, []);

  return (
    <div
      class="menu-list"
      ref={root}
      onKeyDown={(event) => onMenuKey(event, { root: event.currentTarget, items: shown, isNarrowed: wanted !== "", onClose })}
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
          No matches
        </p>
      )}
      <div role="menu" aria-label={label}>
        {shown.map((item, i) => (item === null ? <hr key={i} /> : <MenuEntry key={item.label} item={item} onClose={onClose} />))}
      </div>
    </div>
  );
}
