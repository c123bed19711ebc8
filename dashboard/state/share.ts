/** The share link or public site that the page was opened for: `/share/<token or site id>` (docs/http-api.md, "Guests"). */
import { signal } from "@preact/signals";
import type { SharedSite, ViewerToken } from "../api/types.ts";
import { presentShare, sendJson, ServiceError } from "../api/http.ts";
import { store, stored } from "../api/stored.ts";

/** What a link shows. */
type SharedView = Required<Omit<SharedSite, "locked">>;

export const SHARE_PATH = "/api/share";

const key = /\/share\/([^/]+)$/.exec(location.pathname)?.[1];

/** Whether this page is a viewer's, not the owner's. */
export const isGuest = key !== undefined;

/** What the viewer sees; null in the owner's dashboard, and while the link is not open. */
export const shared = signal<SharedView | null>(null);

/** When the last response came: `today` is of that time. */
export const sharedAtMs = signal(Date.now());

/** `locked`: it needs its password. `dead`: unknown, revoked or expired. */
export const shareStatus = signal<"unknown" | "locked" | "dead" | "open">("unknown");

const TOKEN_KEY = `sandpiper.viewer.${key ?? ""}`;

const rootPath = (): string => new URL("..", location.href).pathname.replace(/\/$/, "");

/** The token that a password opened, else the link's own. */
const present = (): void => presentShare(rootPath(), stored("session", TOKEN_KEY) ?? key ?? "");

if (isGuest) present();

/** To be called with each response of `GET /api/share`. Views that are equal stay the same value, so that nothing loads again. */
export function applyShare({ locked, ...view }: SharedSite): void {
  const next = locked ? null : (view as SharedView);
  sharedAtMs.value = Date.now();
  if (JSON.stringify(next) !== JSON.stringify(shared.value)) shared.value = next;
  shareStatus.value = locked ? "locked" : "open";
}

function end(): void {
  shared.value = null;
  shareStatus.value = "dead";
}

const isGone = (error: unknown): boolean =>
  error instanceof ServiceError && ["not_found", "unauthenticated", "forbidden"].includes(error.kind);

/** Reads what the link shows now. @throws ServiceError if the service cannot tell */
export async function loadShare(): Promise<void> {
  try {
    applyShare(await sendJson<SharedSite>(SHARE_PATH, {}));
  } catch (error) {
    if (!isGone(error)) throw error;
    if (stored("session", TOKEN_KEY) === null) return end();
    // The password's token has ended; the link itself may still work.
    store("session", TOKEN_KEY, null);
    present();
    await loadShare();
  }
}

/** @throws ServiceError for a wrong password, among others */
export async function unlockShare(password: string): Promise<void> {
  const body = JSON.stringify({ password });
  const init = { method: "POST", headers: { "Content-Type": "application/json" }, body };
  const { token } = await sendJson<ViewerToken>(`${SHARE_PATH}/unlock`, init);
  store("session", TOKEN_KEY, token);
  present();
  await loadShare();
}
