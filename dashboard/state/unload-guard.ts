/** Closing the page asks first while something typed has not been saved. */

/** To be called once for each kind of thing that may be unsaved. */
export const guardUnload = (hasUnsaved: () => boolean): void =>
  addEventListener("beforeunload", (event) => {
    if (hasUnsaved()) event.preventDefault();
  });
