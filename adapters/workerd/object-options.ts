/** Reads the options from the object's bindings as strings, like environment variables. */
import { ENVIRONMENT_PREFIX } from "../../src/shared/names.ts";

/** A variable of a Worker may also be a number, a boolean or a list. */
export function optionsIn(bindings: Readonly<Record<string, unknown>>): Record<string, string> {
  const options: Record<string, string> = {};
  for (const [name, value] of Object.entries(bindings)) {
    if (name.startsWith(ENVIRONMENT_PREFIX)) options[name] = typeof value === "string" ? value : textOf(value);
  }
  return options;
}

/** Other values become JSON, so that the error message of the option shows them. */
const textOf = (value: unknown): string => (Array.isArray(value) ? value.join(",") : JSON.stringify(value));
