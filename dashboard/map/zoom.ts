/** Zoom arithmetic in the map's own units. */

/** Shows point (x, y) at (x, y) · scale + offset. */
export interface Zoom {
  readonly scale: number;
  /** Offset. */
  readonly x: number;
  readonly y: number;
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

export const WHOLE_MAP: Zoom = { scale: 1, x: 0, y: 0 };

export const SCALE_MAX = 12;

/** Factor of a button or key. */
const STEP = 1.6;

/** A key moves this share of the visible map. */
const KEY_SHARE = 0.12;

const between = (min: number, value: number, max: number): number => Math.min(Math.max(value, min), max);

/** Leaves no empty space beside the map. */
const bounded = ({ scale, x, y }: Zoom, { width, height }: Size): Zoom => ({
  scale,
  x: between(width * (1 - scale), x, 0),
  y: between(height * (1 - scale), y, 0),
});

/** Keeps the point in place, except at the edges. */
export function zoomedBy(zoom: Zoom, factor: number, at: Point, size: Size): Zoom {
  const scale = between(1, zoom.scale * factor, SCALE_MAX);
  const grown = scale / zoom.scale;
  return bounded({ scale, x: at.x - (at.x - zoom.x) * grown, y: at.y - (at.y - zoom.y) * grown }, size);
}

export const movedBy = (zoom: Zoom, by: Point, size: Size): Zoom => bounded({ ...zoom, x: zoom.x + by.x, y: zoom.y + by.y }, size);

const distance = (a: Point, b: Point): number => Math.hypot(a.x - b.x, a.y - b.y);
const middleOf = (a: Point, b: Point): Point => ({ x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 });

/** One of two fingers moves; the other stays. */
export function pinched(zoom: Zoom, { from, to, other }: Readonly<Record<"from" | "to" | "other", Point>>, size: Size): Zoom {
  const [before, after] = [middleOf(from, other), middleOf(to, other)];
  const moved = { ...zoom, x: zoom.x + after.x - before.x, y: zoom.y + after.y - before.y };
  return zoomedBy(moved, distance(to, other) / Math.max(distance(from, other), 1), after, size);
}

/** null for keys that do nothing. */
export function zoomedByKey(zoom: Zoom, key: string, size: Size): Zoom | null {
  const middle = { x: size.width / 2, y: size.height / 2 };
  if (key === "+" || key === "=") return zoomedBy(zoom, STEP, middle, size);
  if (key === "-") return zoomedBy(zoom, 1 / STEP, middle, size);
  if (key === "0") return WHOLE_MAP;
  const [dx, dy] = { ArrowLeft: [1, 0], ArrowRight: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[key] ?? [];
  if (dx === undefined || dy === undefined || zoom.scale === 1) return null;
  return movedBy(zoom, { x: dx * size.width * KEY_SHARE, y: dy * size.height * KEY_SHARE }, size);
}
