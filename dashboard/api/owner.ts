/** By which the service knows this browser again, for what it keeps for oneself (docs/http-api.md, "Segments"). */
import { store, stored } from "../state/stored.ts";

const OWNER_KEY = "sandpiper.owner";
const OWNER_BYTES = 24;

/** It gets one with the first thing of its own. */
function newOwner(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(OWNER_BYTES));
  const owner = btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_");
  store("local", OWNER_KEY, owner);
  return owner;
}

/** A request in the name of this browser. */
export function asOwner(init: RequestInit, isForOneself = false): RequestInit {
  const owner = stored("local", OWNER_KEY) ?? (isForOneself ? newOwner() : null);
  return owner === null ? init : { ...init, headers: { ...(init.headers as Record<string, string> | undefined), "X-Owner": owner } };
}
