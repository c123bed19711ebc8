/** An item of an open menu. */
import type { ComponentChildren } from "preact";

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

function roleOf({ isChosen, isChecked }: MenuItem) {
  if (isChosen !== undefined) return "menuitemradio";
  return isChecked === undefined ? "menuitem" : "menuitemcheckbox";
}

export function MenuEntry({ item, onClose }: { readonly item: MenuItem; readonly onClose: () => void }) {
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
