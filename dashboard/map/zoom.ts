/** Zoom of the map: arithmetic in its own units, and buttons, keys, pointers and wheel. */
import type { RefObject } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

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

interface Size {
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

/** Zoom per pixel of the wheel. */
const WHEEL_STEP = 0.01;

/** Smaller movements are clicks. */
const DRAG_PX_MIN = 4;

/** Prevents scrolling where Ctrl and wheel zoom, or fingers move a zoomed map: the browser would end the pointers. */
function usePreventedScrolling(svg: RefObject<SVGSVGElement | null>, isZoomed: boolean, onZoomingWheel: (event: WheelEvent) => void): void {
  const latest = useRef({ isZoomed, onZoomingWheel });
  latest.current = { isZoomed, onZoomingWheel };
  useEffect(() => {
    const element = svg.current;
    if (!element) return;
    const onWheel = (event: WheelEvent) => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      latest.current.onZoomingWheel(event);
    };
    const onTouchMove = (event: TouchEvent) => {
      if (event.cancelable && (event.touches.length > 1 || latest.current.isZoomed)) event.preventDefault();
    };
    element.addEventListener("wheel", onWheel, { passive: false });
    element.addEventListener("touchmove", onTouchMove, { passive: false });
    return () => {
      element.removeEventListener("wheel", onWheel);
      element.removeEventListener("touchmove", onTouchMove);
    };
  }, []);
}

export function useZoom(size: Size) {
  const [zoom, setZoom] = useState(WHOLE_MAP);
  const svg = useRef<SVGSVGElement>(null);
  const pressed = useRef(new Map<number, Point>());
  const isDragged = useRef(false);

  function pointOf(event: MouseEvent): Point {
    const box = svg.current?.getBoundingClientRect() ?? { left: 0, top: 0, width: size.width };
    const unit = size.width / box.width;
    return { x: (event.clientX - box.left) * unit, y: (event.clientY - box.top) * unit };
  }

  usePreventedScrolling(svg, zoom.scale > 1, (event) =>
    setZoom((current) => zoomedBy(current, Math.exp(-event.deltaY * WHEEL_STEP), pointOf(event), size)),
  );

  function onPointerDown(event: PointerEvent) {
    if (event.button === 0) pressed.current.set(event.pointerId, pointOf(event));
    isDragged.current = pressed.current.size > 1;
  }

  const onPointerEnd = (event: PointerEvent) => void pressed.current.delete(event.pointerId);

  function onPointerMove(event: PointerEvent) {
    const [from, to] = [pressed.current.get(event.pointerId), pointOf(event)];
    if (!from || !svg.current) return;
    // Released beside the map.
    if (event.buttons === 0) return onPointerEnd(event);
    const minimum = (DRAG_PX_MIN * size.width) / svg.current.clientWidth;
    if (!isDragged.current && Math.hypot(to.x - from.x, to.y - from.y) < minimum) return;
    isDragged.current = true;
    // The click that follows is then no country's.
    svg.current.setPointerCapture(event.pointerId);
    pressed.current.set(event.pointerId, to);
    const other = [...pressed.current].find(([id]) => id !== event.pointerId)?.[1];
    setZoom((current) =>
      other ? pinched(current, { from, to, other }, size) : movedBy(current, { x: to.x - from.x, y: to.y - from.y }, size),
    );
  }

  /** True if the key was handled. */
  function onKey(key: string): boolean {
    const next = zoomedByKey(zoom, key, size);
    if (next) setZoom(next);
    return next !== null;
  }

  return { zoom, svg, onKey, onPointerDown, onPointerMove, onPointerEnd };
}
