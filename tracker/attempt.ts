/** Decides what becomes of faults in here: a line in the console, never an error of the page the script is a guest on. */

import { PREFIX } from "./names.ts";

// oxlint-disable-next-line no-console -- the console is the one place where the page's author can be told
export const warn = (...words: unknown[]): void => console.warn(PREFIX + ":", ...words);

/** The action's result; undefined, after a warning, when it throws. */
export const attempt = <Result>(action: () => Result): Result | undefined => {
  try {
    return action();
  } catch (fault) {
    warn(fault);
    return undefined;
  }
};
