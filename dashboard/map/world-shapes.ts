/** Shapes of the map, loaded with its first use. */
import { useEffect, useState } from "preact/hooks";

import { addressOf } from "../kit/later-files.ts";

/** Lengths are in SVG user units, keys are ISO 3166 alpha-2 codes. */
export interface WorldShapes {
  readonly width: number;
  readonly height: number;
  /** SVG paths. Keys of areas without a code begin with `-`. */
  readonly countries: Readonly<Record<string, string>>;
  /** Label positions. */
  readonly points: Readonly<Record<string, readonly [x: number, y: number]>>;
  /** Countries without a visible path. */
  readonly dots: readonly string[];
}

/** Written by `draw-countries.mjs`, which describes the outlines. */
export interface WorldFile extends Omit<WorldShapes, "countries"> {
  readonly codes: readonly string[];
  readonly outlines: string;
}

/** Reads what `textOfNumbers` in `draw-countries.mjs` writes. */
export function numbersOf(text: string): () => number {
  let at = 0;
  return () => {
    let [sum, unit] = [0, 1];
    for (;;) {
      const character = text[at++];
      const digit = character === "!" ? 57 : (character?.charCodeAt(0) ?? 35) - 35;
      sum += (digit % 46) * unit;
      unit *= 46;
      if (digit < 46) return sum % 2 === 0 ? sum / 2 : -(sum + 1) / 2;
    }
  };
}

export function shapesOf({ codes, outlines, ...others }: WorldFile): WorldShapes {
  const next = numbersOf(outlines);
  const lines: (readonly (readonly [dx: number, dy: number])[])[] = [];
  function line(): string {
    const back = next();
    const known = back === 0 ? undefined : lines.at(-Math.abs(back));
    const steps = known ?? Array.from({ length: next() }, () => [next(), next()] as const);
    if (!known) lines.push(steps);
    return (back > 0 ? steps.toReversed().map(([dx, dy]) => [-dx, -dy]) : steps).flat().join(" ");
  }
  const ring = (): string => `m${next()} ${next()} ${Array.from({ length: next() }, line).join(" ")}z`;
  const country = (): string => Array.from({ length: next() }, ring).join("");
  return { ...others, countries: Object.fromEntries(codes.map((code) => [code, country()])) };
}

let loading: Promise<WorldShapes> | null = null;

const loadShapes = (): Promise<WorldShapes> =>
  (loading ??= fetch(addressOf("countries")).then(async (response) => shapesOf((await response.json()) as WorldFile)));

/** null until loaded. The next map that mounts retries a failed load. */
export function useWorldShapes(): WorldShapes | null {
  const [shapes, setShapes] = useState<WorldShapes | null>(null);
  useEffect(() => {
    loadShapes().then(setShapes, () => {
      loading = null;
    });
  }, []);
  return shapes;
}
