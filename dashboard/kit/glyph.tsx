/**
 * The small picture before a label: a flag, or the mark of a browser, a system or a source; its first letter where there is none. Screen
 * readers hear the label only.
 */
import { UNRECORDED } from "../../src/shared/filters.ts";
import type { Dimension } from "../api/types.ts";
import { DIRECT_SOURCE } from "../format/dimensions.ts";
import type { SpriteName } from "./draw-sprites.mjs";
import { addressOf } from "./later-files.ts";

/** Defined by the build: ids of symbols, separated by spaces. There is a flag for each country's code. */
declare const SPRITE_IDS: Readonly<Record<Exclude<SpriteName, "flags-more">, string>>;

/** The files with the glyphs of a dimension, what most sites show first. */
const SPRITES = {
  flags: ["flags", "flags-more"],
  browsers: ["browsers"],
  systems: ["systems"],
  sources: ["sources", "sources-more"],
} as const satisfies Record<string, readonly SpriteName[]>;

type SpriteKind = keyof typeof SPRITES;

const IDS: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries(SPRITE_IDS).map(([name, ids]) => [name, new Set(ids.split(" "))]),
);

export interface Glyph {
  readonly kind: SpriteKind;
  /** The address of its symbol; null without a picture. */
  readonly href: string | null;
  readonly letter: string;
}

const KINDS: Readonly<Partial<Record<Dimension, SpriteKind>>> = {
  countries: "flags",
  browsers: "browsers",
  os: "systems",
  sources: "sources",
  "visit-sources": "sources",
};

/** `draw-sprites.mjs` repeats it. */
const idOf = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]+/g, "-");

const isUnknown = (value: string): boolean => value === UNRECORDED || value === DIRECT_SOURCE;

/** null for dimensions without pictures. */
export function glyphOf(dimension: Dimension, value: string, label: string): Glyph | null {
  const kind = KINDS[dimension];
  if (kind === undefined) return null;
  const id = idOf(isUnknown(value) ? "direct" : value);
  const sprite = SPRITES[kind].find((name) => IDS.get(name)?.has(id) ?? id.length === 2);
  const [letter = ""] = isUnknown(value) ? "–" : label;
  return { kind, href: sprite === undefined ? null : `${addressOf(sprite)}#${id}`, letter: letter.toUpperCase() };
}

export function GlyphMark({ glyph }: { readonly glyph: Glyph | null }) {
  if (glyph === null) return null;
  const { kind, href, letter } = glyph;
  if (href === null) return <span class="glyph letter" aria-hidden="true" data-letter={letter} />;
  return (
    <svg class={`glyph ${kind}`} aria-hidden="true">
      <use href={href} />
    </svg>
  );
}
