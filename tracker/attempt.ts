/** Errors of the script never become errors of the page: they are caught, and logged to the console as a warning. */

import { PREFIX } from "./names.ts";

// oxlint-disable-next-line no-console -- the one place where the page's author can be told
export const warn = (...details: unknown[]): void => console.warn(PREFIX + ":", ...details);

/** The action's result; undefined, after a warning, if it throws. */
export const attempt = <Result>(action: () => Result): Result | undefined => {
  try {
    return action();
  } catch (error) {
    warn(error);
    return undefined;
  }
};
