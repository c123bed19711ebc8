/** Closing the page asks for confirmation while anything is unsaved. */

export const guardUnload = (hasUnsaved: () => boolean): void =>
  addEventListener("beforeunload", (event) => {
    if (hasUnsaved()) event.preventDefault();
  });
