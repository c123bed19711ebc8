/** The share link or public site of this page: `/share/<token or site id>` (docs/http-api.md, "Guests"). */
import { signal } from "@preact/signals";
import { json, presentShare, sendJson, ServiceError } from "../api/http.ts";
import { store, stored } from "../api/stored.ts";
import type { SharedSite, ViewerToken } from "../api/types.ts";

type SharedView = Required<Omit<SharedSite, "locked">>;

export const SHARE_PATH = "/api/share";

const key = /\/share\/([^/]+)$/.exec(location.pathname)?.[1];

/** This page belongs to a guest. */
export const isGuest = key !== undefined;

/** null in the owner's dashboard, and while the link is not open. */
export const shared = signal<SharedView | null>(null);

/** Time of the last response, to which `today` belongs. */
export const sharedAtMs = signal(Date.now());

/** `locked`: requires its password. `dead`: unknown, revoked or expired. */
export const shareStatus = signal<"unknown" | "locked" | "dead" | "open">("unknown");

const TOKEN_KEY = `sandpiper.viewer.${key ?? ""}`;

const rootPath = (): string => new URL("..", location.href).pathname.replace(/\/$/, "");

/** Prefers the token that a password opened to the link's own. */
const present = (): void => presentShare(rootPath(), stored("session", TOKEN_KEY) ?? key ?? "");

if (isGuest) present();

/** Call with each response of `GET /api/share`. Equal views keep their identity, so that nothing reloads. */
export function applyShare({ locked, ...view }: SharedSite): void {
  const next = locked ? null : (view as SharedView);
  sharedAtMs.value = Date.now();
  if (JSON.stringify(next) !== JSON.stringify(shared.value)) shared.value = next;
  shareStatus.value = locked ? "locked" : "open";
}

/** The link was revoked, has expired, or no longer shows what was asked for. */
export const isGone = (error: unknown): boolean =>
  error instanceof ServiceError && ["not_found", "unauthenticated", "forbidden"].includes(error.kind);

/** @throws ServiceError if the service cannot answer */
export async function loadShare(): Promise<void> {
  try {
    applyShare(await sendJson<SharedSite>(SHARE_PATH, {}));
  } catch (error) {
    if (!isGone(error)) throw error;
    if (stored("session", TOKEN_KEY) === null) {
      shared.value = null;
      shareStatus.value = "dead";
      return;
    }
    // The password's token has ended; the link itself may still work.
    store("session", TOKEN_KEY, null);
    present();
    await loadShare();
  }
}

/** @throws ServiceError for a wrong password, for example */
export async function unlockShare(password: string): Promise<void> {
  const { token } = await sendJson<ViewerToken>(`${SHARE_PATH}/unlock`, json("POST", { password }));
  store("session", TOKEN_KEY, token);
  present();
  await loadShare();
}
