/** The secret that makes this browser the owner of what is saved "only for me" (docs/http-api.md, "Segments"). */
import { store, stored } from "./stored.ts";

const OWNER_KEY = "sandpiper.owner";
const OWNER_BYTES = 24;

/** Made when the first such segment or annotation is saved. */
function newOwner(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(OWNER_BYTES));
  const owner = btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_");
  store("local", OWNER_KEY, owner);
  return owner;
}

/** Adds the secret to a request, if there is one; `isForOneself` makes one. */
export function asOwner(init: RequestInit, isForOneself = false): RequestInit {
  const owner = stored("local", OWNER_KEY) ?? (isForOneself ? newOwner() : null);
  return owner === null ? init : { ...init, headers: { ...(init.headers as Record<string, string> | undefined), "X-Owner": owner } };
}
