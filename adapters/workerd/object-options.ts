/** The options among an object's bindings, as texts, which is how an environment has them. */
import { ENVIRONMENT_PREFIX } from "../../src/runtime/config/names.ts";

/** In the configuration of a Worker variables may be numbers, booleans and lists as well. */
export function optionsIn(bindings: Readonly<Record<string, unknown>>): Record<string, string> {
  const options: Record<string, string> = {};
  for (const [name, value] of Object.entries(bindings)) {
    if (name.startsWith(ENVIRONMENT_PREFIX)) options[name] = typeof value === "string" ? value : textOf(value);
  }
  return options;
}

/** Anything else is shown as what it is, in the message that refuses it. */
const textOf = (value: unknown): string => (Array.isArray(value) ? value.join(",") : JSON.stringify(value));
