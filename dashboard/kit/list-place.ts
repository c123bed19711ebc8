/** Where the list of a picker is: below its input, or above where that has more room. It is fixed, so that no scrolling box cuts it. */
import type { RefObject } from "preact";
import { useLayoutEffect } from "preact/hooks";

const GAP_PX = 4;
/** Between the list and the edge of the window. */
const MARGIN_PX = 8;
const HEIGHT_PX_MAX = 264;

function place(input: HTMLElement, list: HTMLElement): void {
  const { left, top, bottom, width } = input.getBoundingClientRect();
  const below = innerHeight - bottom - GAP_PX - MARGIN_PX;
  const above = top - GAP_PX - MARGIN_PX;
  const isBelow = below >= Math.min(HEIGHT_PX_MAX, list.scrollHeight) || below >= above;
  list.style.left = `${left}px`;
  list.style.width = `${width}px`;
  list.style.maxHeight = `${Math.min(HEIGHT_PX_MAX, Math.max(isBelow ? below : above, 0))}px`;
  list.style.top = isBelow ? `${bottom + GAP_PX}px` : "auto";
  list.style.bottom = isBelow ? "auto" : `${innerHeight - top + GAP_PX}px`;
}

/** Follows the input while the list is open, also when what it lists changes. */
export function useListPlace(input: RefObject<HTMLElement | null>, list: RefObject<HTMLElement | null>, isOpen: boolean): void {
  useLayoutEffect(() => {
    if (isOpen && input.current && list.current) place(input.current, list.current);
  });
  useLayoutEffect(() => {
    if (!isOpen) return undefined;
    const moved = () => input.current && list.current && place(input.current, list.current);
    addEventListener("scroll", moved, { capture: true, passive: true });
    addEventListener("resize", moved);
    return () => {
      removeEventListener("scroll", moved, { capture: true });
      removeEventListener("resize", moved);
    };
  }, [isOpen]);
}
