/** Keeps the keyboard's place: when the focused element disappears, the closest remaining part of the page gets the focus. */
import type { RefObject } from "preact";
import { useEffect } from "preact/hooks";

/** Candidates for the focus, innermost first. */
const PARTS = "section, main";

function partsAround(element: Element): HTMLElement[] {
  const parts = [];
  for (let part = element.closest<HTMLElement>(PARTS); part; part = part.parentElement?.closest<HTMLElement>(PARTS) ?? null)
    parts.push(part);
  return parts;
}

let hasShownPage = false;

/** Focuses a page that replaces another, because the focused element is gone. The first page leaves the focus to the browser. */
export function useFocusOnArrival(content: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    if (hasShownPage && document.activeElement === document.body) content.current?.focus({ preventScroll: true });
    hasShownPage = true;
  }, []);
}

/** Returns a function that stops it. */
export function keepFocus(root: HTMLElement): () => void {
  let focused: Element | null = null;
  let parts: readonly HTMLElement[] = [];
  const onFocus = ({ target }: FocusEvent) => {
    focused = target instanceof Element ? target : null;
    parts = focused ? partsAround(focused) : [];
  };
  const observer = new MutationObserver(() => {
    if (focused === null || focused.isConnected || document.activeElement !== document.body) return;
    const part = parts.find(({ isConnected }) => isConnected);
    if (part === undefined) return;
    part.tabIndex = -1;
    part.focus({ preventScroll: true });
  });
  root.addEventListener("focusin", onFocus);
  observer.observe(root, { childList: true, subtree: true });
  return () => {
    root.removeEventListener("focusin", onFocus);
    observer.disconnect();
  };
}
