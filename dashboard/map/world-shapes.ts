/** Shapes of the map, loaded with its first use. */
import { useEffect, useState } from "preact/hooks";

/** Defined by the build. The file is beside the scripts. */
declare const COUNTRY_MAP_NAME: string;

/** Written by `draw-countries.mjs`, in SVG user units, keyed by ISO 3166 alpha-2 code. */
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

let loading: Promise<WorldShapes> | null = null;

const loadShapes = (): Promise<WorldShapes> =>
  (loading ??= fetch(new URL(COUNTRY_MAP_NAME, import.meta.url)).then((response) => response.json() as Promise<WorldShapes>));

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
