/**
 * Zoom by buttons, keys, two fingers, and Ctrl with the wheel (browsers report a touchpad's pinch this way). A zoomed map can be dragged.
 * The wheel alone, or one finger on the whole map, scrolls the page.
 */
import type { RefObject } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { movedBy, pinched, WHOLE_MAP, zoomedBy, zoomedByKey, type Point, type Size } from "./zoom.ts";

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
