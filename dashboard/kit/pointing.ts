/** Pointing and choosing points, bars, countries and cards: by mouse, finger and key. */

/** A mouse points by moving and chooses by a click. A finger points by its first tap, and chooses by a second one there. */
export class TapChoice<Target> {
  isTouch = false;
  #pointed: Target | null = null;

  /** Call on each `pointerdown`: the click that follows learns its pointer. */
  press({ pointerType }: PointerEvent): void {
    this.isTouch = pointerType === "touch";
  }

  /** True if the click chooses the target. */
  click(target: Target | null): target is Target {
    const isChosen = target !== null && (!this.isTouch || this.#pointed === target);
    this.#pointed = target;
    return isChosen;
  }

  leave(): void {
    this.#pointed = null;
  }
}

interface Points {
  /** null if nothing is pointed at: the first arrow key then leads to `initial`. */
  readonly index: number | null;
  readonly initial: number;
  readonly last: number;
}

/** Keys with a modifier belong to the browser, such as Alt and an arrow key for Back. */
export const hasModifier = ({ ctrlKey, metaKey, altKey }: KeyboardEvent): boolean => ctrlKey || metaKey || altKey;

/** Opens a link on this page, unless a modifier key tells the browser to open it elsewhere. */
export const onPlainClick =
  (open: () => void) =>
  (event: MouseEvent): void => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    open();
  };

/** Keys of the WAI-ARIA slider pattern. Undefined for other keys. */
export function indexAfterKey(event: KeyboardEvent, { index, initial, last }: Points): number | undefined {
  if (hasModifier(event)) return undefined;
  const after = (step: number) => (index === null ? initial : Math.min(Math.max(index + step, 0), last));
  return { ArrowLeft: after(-1), ArrowRight: after(1), Home: 0, End: last }[event.key];
}

/** Arrow keys follow the rows and columns of the grid. null if the key leads nowhere. */
export function cardFor(key: string, index: number, count: number, columns: number): number | null {
  const next = {
    ArrowRight: index + 1,
    ArrowLeft: index - 1,
    ArrowDown: index + columns,
    ArrowUp: index - columns,
    Home: 0,
    End: count - 1,
  }[key];
  return next !== undefined && next >= 0 && next < count ? next : null;
}

/** The main pointer is a finger: focusing a text field would open the on-screen keyboard. */
export const isTouchScreen = (): boolean => matchMedia("(pointer: coarse)").matches;
