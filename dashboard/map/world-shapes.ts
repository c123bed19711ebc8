/** The shapes of the map, which load with its first use. */
import { useEffect, useState } from "preact/hooks";

/** Defined by the build. The file is beside the scripts. */
declare const COUNTRY_MAP_NAME: string;

/** Made by `draw-countries.mjs`. In SVG user units; by ISO 3166 alpha-2 code. */
export interface WorldShapes {
  readonly width: number;
  readonly height: number;
  /** SVG paths. An area without a code has a key that begins with `-`. */
  readonly countries: Readonly<Record<string, string>>;
  /** Where a country is labelled. */
  readonly points: Readonly<Record<string, readonly [x: number, y: number]>>;
  /** Countries without a path, or with one that is too small to see. */
  readonly dots: readonly string[];
}

let loading: Promise<WorldShapes> | null = null;

const loadShapes = (): Promise<WorldShapes> =>
  (loading ??= fetch(new URL(COUNTRY_MAP_NAME, import.meta.url)).then((response) => response.json() as Promise<WorldShapes>));

/** Null until loaded. A failed load is tried again by the next map that mounts. */
export function useWorldShapes(): WorldShapes | null {
  const [shapes, setShapes] = useState<WorldShapes | null>(null);
  useEffect(() => {
    loadShapes().then(setShapes, () => {
      loading = null;
    });
  }, []);
  return shapes;
}
