/**
 * The small picture before a label: a flag, or the mark of a browser, a system or a source; its first letter where there is none. Screen
 * readers hear the label only.
 */
import { UNRECORDED } from "../../src/shared/filters.ts";
import type { Dimension } from "../api/types.ts";
import { DIRECT_SOURCE } from "../format/dimensions.ts";
import type { SpriteKind } from "./draw-sprites.mjs";

/** Defined by the build: the files beside the scripts, and the ids of their symbols, separated by spaces. */
declare const FLAGS_SPRITE_NAME: string;
declare const BROWSERS_SPRITE_NAME: string;
declare const BROWSERS_SPRITE_IDS: string;
declare const SYSTEMS_SPRITE_NAME: string;
declare const SYSTEMS_SPRITE_IDS: string;
declare const SOURCES_SPRITE_NAME: string;
declare const SOURCES_SPRITE_IDS: string;

interface Sprite {
  readonly name: string;
  readonly has: (id: string) => boolean;
}

const spriteOf = (name: string, ids: string): Sprite => ({ name, has: (id) => ids.split(" ").includes(id) });

/** There is a flag for each country's code. */
const SPRITES: Readonly<Record<SpriteKind, Sprite>> = {
  flags: { name: FLAGS_SPRITE_NAME, has: (id) => id.length === 2 },
  browsers: spriteOf(BROWSERS_SPRITE_NAME, BROWSERS_SPRITE_IDS),
  systems: spriteOf(SYSTEMS_SPRITE_NAME, SYSTEMS_SPRITE_IDS),
  sources: spriteOf(SOURCES_SPRITE_NAME, SOURCES_SPRITE_IDS),
};

export interface Glyph {
  readonly kind: SpriteKind;
  /** null without a picture. */
  readonly id: string | null;
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
  const [letter = ""] = isUnknown(value) ? "–" : label;
  return { kind, id: SPRITES[kind].has(id) ? id : null, letter: letter.toUpperCase() };
}

export function GlyphMark({ glyph }: { readonly glyph: Glyph | null }) {
  if (glyph === null) return null;
  const { kind, id, letter } = glyph;
  if (id === null) return <span class="glyph letter" aria-hidden="true" data-letter={letter} />;
  return (
    <svg class={`glyph ${kind}`} aria-hidden="true">
      <use href={`${new URL(SPRITES[kind].name, import.meta.url).href}#${id}`} />
    </svg>
  );
}
