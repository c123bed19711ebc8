/** Connection and login state, and the refresh of all reports when it changes. */
import { signal } from "@preact/signals";
import { authStatus, logOut, logOutEverywhere } from "../api/endpoints.ts";
import { ServiceError } from "../api/http.ts";
import { isGone, isGuest, loadShare } from "./share.ts";

/** Increments to refetch every report. */
export const refreshCount = signal(0);

/** The reason as a sentence; null while the service is reachable. */
export const outage = signal<string | null>(null);

/** Does nothing during an outage, whose end refreshes everything. */
export const refreshAll = (): void => {
  if (outage.value === null) refreshCount.value++;
};

/** `open`: no password is set, everybody may read. `setup_code`: no password is set, but this host name requires one. */
type AuthState = "unknown" | "open" | "setup_code" | "logged_out" | "logged_in";

export const authState = signal<AuthState>("unknown");

/** The session ended without a logout. */
export const hasExpired = signal(false);

/** A report rejected during a logout does not mean that the session expired. */
let isLoggingOut = false;

/** Pauses between attempts; the last one repeats. */
const RETRY_MS = [1000, 2000, 4000, 8000, 15_000, 30_000];

/** Resolves after the pause, but not before the page is visible. */
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

/** False starts an outage. Called when a request failed as if the service were down. */
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

/** Call with every failed request: an outage starts polling, an ended session shows the login. */
export function handleFailure(error: unknown): void {
  if (!(error instanceof ServiceError)) return;
  // What a share link shows may have changed, or it was revoked.
  if (error.isOutage || (isGuest && isGone(error))) void isReachable();
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

/** Updates `authState`, or the view of a share link. Resolves to false if the service is down, which starts an outage. */
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

/** Shows the view of the URL with fresh reports after a login or setup. */
export function completeLogin(): void {
  hasExpired.value = false;
  authState.value = "logged_in";
  refreshAll();
}

/** If the request fails, the session stays. */
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
