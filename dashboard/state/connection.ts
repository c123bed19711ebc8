/** Whether the service is reachable and the browser logged in, and the refresh of every report once that changes. */
import { signal } from "@preact/signals";
import { authStatus, isReachable, logOut } from "../api/admin.ts";
import { ServiceError } from "../api/http.ts";

/** Every report is fetched again when this number grows. */
export const refreshCount = signal(0);

export const refreshAll = (): void => {
  refreshCount.value++;
};

export const isOffline = signal(false);

/** `open`: no password is set, everybody may read. `setup_code`: no password is set, and under this host name one must be. */
export type AuthState = "unknown" | "open" | "setup_code" | "logged_out" | "logged_in";

export const authState = signal<AuthState>("unknown");

/** Whether the session ended without a logout. */
export const hasExpired = signal(false);

/** While a logout is under way, a report that is refused does not mean that the session has expired. */
let isLoggingOut = false;

const RETRY_MS = [1000, 2000, 4000, 8000, 15_000];

function pollUntilReachable(tries = 0): void {
  setTimeout(
    () => {
      void isReachable().then((reachable) => {
        if (!reachable) return pollUntilReachable(tries + 1);
        isOffline.value = false;
        void checkAuth().then(refreshAll);
      });
    },
    RETRY_MS[Math.min(tries, RETRY_MS.length - 1)],
  );
}

/** To be called with the error of every failed request: a lost connection starts polling, an ended session shows the login. */
export function handleFailure(error: unknown): void {
  if (!(error instanceof ServiceError)) return;
  if (error.kind === "offline" && !isOffline.value) {
    isOffline.value = true;
    pollUntilReachable();
  }
  if (error.kind === "setup_code_required") authState.value = "setup_code";
  if (error.kind === "unauthenticated" && authState.value === "logged_in" && !isLoggingOut) hasExpired.value = true;
  if (error.kind === "unauthenticated") authState.value = "logged_out";
}

export async function checkAuth(): Promise<void> {
  try {
    const { setup_required, authenticated } = await authStatus();
    if (setup_required) authState.value = "open";
    else authState.value = authenticated ? "logged_in" : "logged_out";
  } catch (error) {
    handleFailure(error);
  }
}

/** After a login or setup: shows the view of the URL with fresh reports. */
export function completeLogin(): void {
  hasExpired.value = false;
  authState.value = "logged_in";
  refreshAll();
}

/** Logs out; when the request fails, the session stays. */
export async function endSession(): Promise<void> {
  isLoggingOut = true;
  hasExpired.value = false;
  try {
    await logOut();
    authState.value = "logged_out";
  } catch (error) {
    handleFailure(error);
  }
  isLoggingOut = false;
}
