/** Choosing by pointer: a mouse points by moving and chooses by a click; a finger's first tap points, and a second one there chooses. */

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
