/** Small inline parts: buttons, the logo, a site's icon, code in a sentence, and the change of a metric. */
import type { ComponentChildren, TargetedMouseEvent } from "preact";
import { changeOf, type Values } from "../format/change.ts";
import { readableId } from "../state/known-sites.ts";
import { words } from "../words/words.ts";

interface CrossButtonProps {
  readonly class?: string;
  /** Says what it closes or removes. */
  readonly label: string;
  readonly onClick: (event: TargetedMouseEvent<HTMLButtonElement>) => void;
}

export const CrossButton = ({ class: className = "icon-button", label, onClick }: CrossButtonProps) => (
  <button type="button" class={className} aria-label={label} onClick={onClick}>
    ×
  </button>
);

/** SVG paths in a square of 64. */
export const LOGO = {
  bird: "M4 23.600 21 20c2-6.600 9.500-9.800 15.400-6.400 3.300 1.900 5.200 5 6.200 8.500C50.500 25 58.600 31 62 40.500c-6-2.900-10-3.100-14.200-1.900-3.800 5.900-9.700 8.600-16.100 8-8.200-.700-13-8.400-12.200-18.500L4 25.200z",
  legs: "M33 46v9m7-11v11",
  water: "M6 58.500c6-4 11-4 17 0s11 4 17 0 11-4 17 0",
} as const;

export const Logo = () => (
  <svg class="logo" viewBox="0 0 64 64" aria-hidden="true">
    <path class="logo-bird" d={LOGO.bird} />
    <path class="logo-legs" d={LOGO.legs} />
    <path class="logo-water" d={LOGO.water} />
  </svg>
);

/** FNV-1a: stable, and far apart for similar ids. */
const hueOf = (siteId: string): number =>
  ([...siteId].reduce((hash, char) => Math.imul(hash ^ char.charCodeAt(0), 0x01000193), 0x811c9dc5) >>> 0) % 360;

const letterOf = (siteId: string): string => /[\p{L}\p{N}]/u.exec(readableId(siteId).replace(/^www\./i, ""))?.[0]?.toUpperCase() ?? "?";

/**
 * A letter in a color derived from the id. Favicons would be requested from the sites. The style sheet draws the letter, so that it is not
 * part of a button's text.
 */
export const SiteIcon = ({ siteId }: { readonly siteId: string }) => (
  <span class="site-icon" aria-hidden="true" data-letter={letterOf(siteId)} style={{ "--hue": String(hueOf(siteId)) }} />
);

/** Tags that `rich` knows everywhere; `unseen` is for screen readers. */
export const INLINE = {
  code: (text: ComponentChildren) => <code>{text}</code>,
  strong: (text: ComponentChildren) => <strong>{text}</strong>,
  unseen: (text: ComponentChildren) => <span class="unseen">{text}</span>,
} as const;

export const Marked = ({ text }: { readonly text: string }) => (
  <>{text.split("`").map((part, i) => (i % 2 === 1 ? <code key={i}>{part}</code> : part))}</>
);

const DIRECTIONS = { up: words.kit.upBy, down: words.kit.downBy, same: words.kit.unchanged } as const;

/** Marks a change from zero, which has no percentage. */
export const NewValue = ({ isNotable = false }: { readonly isNotable?: boolean }) => (
  <span class={`change ${isNotable ? "better" : "dim"}`}>{words.kit.newValue}</span>
);

/** Shows direction as an arrow or a sign, meaning as color, and both as text for screen readers. */
export function Change(values: Values) {
  const change = changeOf(values);
  if (change === null) return null;
  const { direction, mark, tone, amount } = change;
  return (
    <span class={`change ${tone ?? "dim"}`} data-direction={direction}>
      <span aria-hidden="true">{mark}</span>
      <span class="unseen">{DIRECTIONS[direction]}</span>
      {amount}
    </span>
  );
}

interface ButtonProps {
  readonly onClick: () => void;
  readonly children: ComponentChildren;
}

export const Button = ({ onClick, children }: ButtonProps) => (
  <button type="button" class="button" onClick={onClick}>
    {children}
  </button>
);

export const LinkButton = ({ onClick, children }: ButtonProps) => (
  <button type="button" class="link" onClick={onClick}>
    {children}
  </button>
);
