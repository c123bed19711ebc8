/** Keeps a keyboard's place on the page: where the focused element goes, the closest part of the page around it gets the focus. */

/** The parts of the page, of which the innermost that is left is chosen. */
const PARTS = "section, main";

function partsAround(element: Element): HTMLElement[] {
  const parts = [];
  for (let part = element.closest<HTMLElement>(PARTS); part; part = part.parentElement?.closest<HTMLElement>(PARTS) ?? null)
    parts.push(part);
  return parts;
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
