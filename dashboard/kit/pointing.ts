/** How points, bars, countries and cards are reached and chosen: by pointer, by finger and by key. */

export class TapChoice<Target> {
  isTouch = false;
  #pointed: Target | null = null;

  /** To be called with each `pointerdown`, from which the click that follows learns its pointer. */
  press({ pointerType }: PointerEvent): void {
    this.isTouch = pointerType === "touch";
  }

  /** Whether a click on the target chooses it. */
  click(target: Target | null): target is Target {
    const isChosen = target !== null && (!this.isTouch || this.#pointed === target);
    this.#pointed = target;
    return isChosen;
  }

  /** Nothing is pointed at any longer. */
  leave(): void {
    this.#pointed = null;
  }
}

interface Points {
  /** Null where nothing is pointed at: then the first arrow key leads to `initial`. */
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

/** The index that the key leads to; undefined for any other key. */
export function indexAfterKey(event: KeyboardEvent, { index, initial, last }: Points): number | undefined {
  if (hasModifier(event)) return undefined;
  const after = (step: number) => (index === null ? initial : Math.min(Math.max(index + step, 0), last));
  return { ArrowLeft: after(-1), ArrowRight: after(1), Home: 0, End: last }[event.key];
}

/** The card that a key leads to; null if there is none. */
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

/** Whether the main pointer is a finger. There, a text field that gets the focus by itself would open the screen's keyboard. */
export const isTouchScreen = (): boolean => matchMedia("(pointer: coarse)").matches;
