/** A part that is shown when its title is pressed. */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";

export function Folded({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="folded" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{title}</summary>
      {isOpen && children}
    </details>
  );
}
