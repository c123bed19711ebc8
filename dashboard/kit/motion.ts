/** Motion that shows what a change changed: rows move to their new places, and numbers roll. None where the system asks for less motion. */
import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

/** Long enough to follow, too short to wait for. */
export const MOTION_MS = 200;

/** True where motion is not wanted, and where nobody sees it: a hidden page draws no frames. */
export const isStill = (): boolean => document.hidden || matchMedia("(prefers-reduced-motion: reduce)").matches;

/** Runs `step` in each frame, with the share of the way from 0 to 1, slowing down. Returns how to stop it. */
export function inFrames(step: (share: number) => void): () => void {
  const beganMs = performance.now();
  let frame = requestAnimationFrame(function next(nowMs) {
    const left = Math.min(Math.max(1 - (nowMs - beganMs) / MOTION_MS, 0), 1);
    step(1 - left ** 3);
    if (left > 0) frame = requestAnimationFrame(next);
  });
  return () => cancelAnimationFrame(frame);
}

/** Children of the list, which have a `data-key`, move from their former places, and new ones drop in. */
export function useMovingRows<List extends HTMLElement>(): RefObject<List | null> {
  const list = useRef<List>(null);
  const before = useRef<ReadonlyMap<string, number>>(new Map());
  useLayoutEffect(() => {
    const tops = new Map<string, number>();
    const isFirst = before.current.size === 0;
    for (const row of (list.current?.children ?? []) as Iterable<HTMLElement>) {
      const key = row.dataset["key"] ?? "";
      const [was, top] = [before.current.get(key), row.offsetTop];
      tops.set(key, top);
      if (was === top || isFirst || isStill()) continue;
      const from = was === undefined ? { opacity: 0, transform: "translateY(-10px)" } : { transform: `translateY(${was - top}px)` };
      row.animate([from, { transform: "none" }], { duration: MOTION_MS, easing: "ease-out" });
    }
    before.current = tops;
  });
  return list;
}

/** The number on its way from the former one. Whole numbers stay whole. */
export function useRolled(value: number | null): number | null {
  const [shown, setShown] = useState(value);
  const last = useRef(value);
  useEffect(() => {
    const from = last.current;
    const show = (number: number | null) => setShown((last.current = number));
    if (from === value) return;
    if (from === null || value === null || isStill()) return show(value);
    const at = (share: number) => (share === 1 ? value : from + (value - from) * share);
    return inFrames((share) => show(Number.isInteger(value) ? Math.round(at(share)) : at(share)));
  }, [value]);
  return shown;
}
