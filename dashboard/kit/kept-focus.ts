/** Keeps a keyboard's place on the page: where the focused element goes, the closest part of the page around it gets the focus. */
import type { RefObject } from "preact";
import { useEffect } from "preact/hooks";

/** The parts of the page, of which the innermost that is left is chosen. */
const PARTS = "section, main";

function partsAround(element: Element): HTMLElement[] {
  const parts = [];
  for (let part = element.closest<HTMLElement>(PARTS); part; part = part.parentElement?.closest<HTMLElement>(PARTS) ?? null)
    parts.push(part);
  return parts;
}

/** Whether a page with a view of sites has been there before. */
let hasShownPage = false;

/** A page that takes the place of another gets the focus, which went with that. The first page leaves it to the browser. */
export function useFocusOnArrival(content: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    if (hasShownPage && document.activeElement === document.body) content.current?.focus({ preventScroll: true });
    hasShownPage = true;
  }, []);
}

/** For the elements in `root`. Returns how to end it. */
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
