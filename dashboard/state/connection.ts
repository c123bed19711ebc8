/** Whether the service is reachable and the browser logged in, and the refresh of every report once that changes. */
import { signal } from "@preact/signals";
import { authStatus, logOut, logOutEverywhere } from "../api/admin.ts";
import { ServiceError, type FailureKind } from "../api/http.ts";
import { isGuest, loadShare } from "./share.ts";

/** Every report is fetched again when this number grows. */
export const refreshCount = signal(0);

/** Why the service cannot be reached, as a sentence; null while it can. */
export const outage = signal<string | null>(null);

/** The end of an outage refreshes everything; until then, nothing can be. */
export const refreshAll = (): void => {
  if (outage.value === null) refreshCount.value++;
};

/** `open`: no password is set, everybody may read. `setup_code`: no password is set, and under this host name one must be. */
type AuthState = "unknown" | "open" | "setup_code" | "logged_out" | "logged_in";

export const authState = signal<AuthState>("unknown");

/** Whether the session ended without a logout. */
export const hasExpired = signal(false);

/** While a logout is under way, a report that is refused does not mean that the session has expired. */
let isLoggingOut = false;

/** Pauses between the attempts to reach the service; the last is repeated. */
const RETRY_MS = [1000, 2000, 4000, 8000, 15_000, 30_000];

/** Resolves after the pause, and not before the page is visible. */
async function pauseUntilVisible(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
  while (document.visibilityState === "hidden")
    await new Promise((resolve) => document.addEventListener("visibilitychange", resolve, { once: true }));
}

async function retryUntilReachable(): Promise<void> {
  for (let tries = 0; outage.value !== null; tries++) {
    await pauseUntilVisible(RETRY_MS[Math.min(tries, RETRY_MS.length - 1)] ?? 0);
    if (!(await checkAuth())) continue;
    outage.value = null;
    refreshAll();
  }
}

function beginOutage(reason: string): void {
  const isNew = outage.value === null;
  outage.value = reason;
  if (isNew) void retryUntilReachable();
}

let checking: Promise<boolean> | null = null;

/** Whether the service answers, although a request has failed as if it were down. If not, there is an outage. */
export async function isReachable(): Promise<boolean> {
  if (outage.value !== null) return false;
  checking ??= checkAuth().finally(() => {
    checking = null;
  });
  return checking;
}

function requireLogin(): void {
  if (authState.value === "logged_in" && !isLoggingOut) hasExpired.value = true;
  authState.value = "logged_out";
}

const REFUSALS: ReadonlySet<FailureKind> = new Set(["unauthenticated", "forbidden", "not_found"]);

/** To be called with the error of every failed request: an outage starts polling, an ended session shows the login. */
export function handleFailure(error: unknown): void {
  if (!(error instanceof ServiceError)) return;
  // What a share link shows may have changed, or it was revoked.
  if (error.isOutage || (isGuest && REFUSALS.has(error.kind))) void isReachable();
  if (isGuest) return;
  if (error.kind === "setup_code_required") authState.value = "setup_code";
  if (error.kind === "unauthenticated") requireLogin();
}

async function loadAuthState(): Promise<void> {
  const { setup_required, authenticated } = await authStatus();
  if (setup_required) authState.value = "open";
  else if (authenticated) authState.value = "logged_in";
  else requireLogin();
}

/** Updates `authState`, or what a share link shows. Resolves to whether the service answered; if it did not, there is an outage. */
export async function checkAuth(): Promise<boolean> {
  try {
    await (isGuest ? loadShare() : loadAuthState());
  } catch (error) {
    if (error instanceof ServiceError && error.isOutage) {
      beginOutage(error.message);
      return false;
    }
    handleFailure(error);
  }
  return true;
}

/** After a login or setup: shows the view of the URL with fresh reports. */
export function completeLogin(): void {
  hasExpired.value = false;
  authState.value = "logged_in";
  refreshAll();
}

/** Logs out, this browser or all of them; when the request fails, the session stays. */
export async function endSession(where: "here" | "everywhere" = "here"): Promise<void> {
  isLoggingOut = true;
  hasExpired.value = false;
  try {
    await (where === "here" ? logOut() : logOutEverywhere());
    authState.value = "logged_out";
  } catch (error) {
    handleFailure(error);
  }
  isLoggingOut = false;
}
