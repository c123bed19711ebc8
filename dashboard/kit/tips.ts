/**
 * Explanations of parts of the page: definitions, exact numbers, compared values. They show where the mouse rests, where the keyboard's
 * focus is, and where a finger taps. Escape hides them (WCAG 2.2, 1.4.13). One element serves the page: browsers show `title` to mice only.
 */

const REST_MS = 350;
/** Lets the pointer reach the explanation, whose text can be selected. */
const LEAVE_MS = 150;
const GAP_PX = 8;

/** Attributes of an explained part; none without a text. `onTap`: a finger's tap shows it although it also does something. */
export const tip = (text: string | undefined, onTap = false) =>
  text === undefined || text === "" ? {} : { "data-tip": text, "aria-description": text, ...(onTap && { "data-tip-tap": true }) };

const TIPPED = "[data-tip]";
const CONTROLS = "button, a, input, select, summary, [role='slider']";

const bubble = document.createElement("div");
bubble.className = "tip";
bubble.role = "tooltip";

let explained: Element | null = null;
let timer = 0;
let isTouch = false;
/** True after focus or a tap. */
let isAsked = false;

function hide(): void {
  clearTimeout(timer);
  bubble.remove();
  explained = null;
}

/** Puts the bubble below the part, or above it where there is no room, and never beyond the window's edges. */
function place(part: Element): void {
  const [around, { width, height }] = [part.getBoundingClientRect(), bubble.getBoundingClientRect()];
  const { clientWidth, clientHeight } = document.documentElement;
  const left = Math.max(Math.min(around.left + around.width / 2 - width / 2, clientWidth - width - GAP_PX), GAP_PX);
  const isBelow = around.bottom + GAP_PX + height <= clientHeight || around.top < height + GAP_PX;
  bubble.style.left = `${left}px`;
  bubble.style.top = `${isBelow ? around.bottom + GAP_PX : around.top - GAP_PX - height}px`;
}

function show(part: Element, how: "asked" | "pointed"): void {
  clearTimeout(timer);
  isAsked = how === "asked";
  const text = part.getAttribute("data-tip");
  if (!part.isConnected || text === null) return hide();
  explained = part;
  bubble.textContent = text;
  // What is outside a modal dialog stands behind it.
  (part.closest("dialog") ?? document.querySelector("main") ?? document.body).append(bubble);
  place(part);
}

function after(ms: number, action: () => void): void {
  clearTimeout(timer);
  timer = window.setTimeout(action, ms);
}

const partOf = (target: EventTarget | null): Element | null => (target instanceof Element ? target.closest(TIPPED) : null);

function onPoint(event: PointerEvent): void {
  if (event.pointerType === "touch") return;
  if (bubble.contains(event.target as Node)) return clearTimeout(timer);
  const part = partOf(event.target);
  if (part !== null && part !== explained) after(REST_MS, () => show(part, "pointed"));
  else if (part !== null || explained === null) clearTimeout(timer);
  else if (!explained.matches(":focus-visible")) after(LEAVE_MS, hide);
}

function onClick(event: MouseEvent): void {
  const part = partOf(event.target);
  const isTap = isTouch && part !== null && (part.hasAttribute("data-tip-tap") || part.closest(CONTROLS) === null);
  if (isTap && part !== explained) show(part, "asked");
  else if (!bubble.contains(event.target as Node)) hide();
}

function onFocus(event: FocusEvent): void {
  const part = event.target instanceof Element && event.target.matches(":focus-visible") ? partOf(event.target) : null;
  if (part) show(part, "asked");
  else hide();
}

/** Escape hides an explanation and does nothing else, unless a mouse only happens to rest there. */
function onKey(event: KeyboardEvent): void {
  if (event.key !== "Escape" || explained === null) return;
  if (isAsked) {
    event.preventDefault();
    event.stopImmediatePropagation();
  }
  hide();
}

/** Call once per page. */
export function showTips(): void {
  document.addEventListener("pointerover", onPoint);
  document.addEventListener("pointerdown", ({ pointerType }) => void (isTouch = pointerType === "touch"));
  document.addEventListener("click", onClick);
  document.addEventListener("focusin", onFocus);
  document.addEventListener("focusout", hide);
  document.addEventListener("keydown", onKey, { capture: true });
  for (const moved of ["scroll", "resize"]) addEventListener(moved, hide, { capture: true, passive: true });
}
