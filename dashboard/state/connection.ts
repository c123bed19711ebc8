/** Whether the service is there and lets us in, and how everything is asked again once it does. */
import { signal } from "@preact/signals";
import { authStatus, isReachable, logOut, ServiceError } from "../api/service.ts";

/** Grows when all figures are to be asked anew. */
export const round = signal(0);

export const isOffline = signal(false);

export type Door = "unknown" | "open" | "setup" | "login" | "inside";

/** `open`: there is no password, and whoever comes may read. `setup`: under this host name, the password has to be set first. */
export const door = signal<Door>("unknown");

/** Whether somebody was inside before the login was asked for and did not leave by themselves: their session ended. */
export const hasExpired = signal(false);

/** Figures still under way are refused as soon as the service has heard of a logout, which may be before its answer to that is here. */
let isLeaving = false;

export const askAgain = (): void => {
  round.value++;
};

const RETRY_MS = [1000, 2000, 4000, 8000, 15_000];

function waitForService(tries = 0): void {
  setTimeout(
    () => {
      void isReachable().then((reachable) => {
        if (!reachable) return waitForService(tries + 1);
        isOffline.value = false;
        void knock().then(askAgain);
      });
    },
    RETRY_MS[Math.min(tries, RETRY_MS.length - 1)],
  );
}

/** What every failed request tells: a lost service is waited for, an ended session leads to the login. */
export function noteFailure(error: unknown): void {
  if (!(error instanceof ServiceError)) return;
  if (error.kind === "offline" && !isOffline.value) {
    isOffline.value = true;
    waitForService();
  }
  if (error.kind === "unverified") door.value = "setup";
  if (error.kind === "unauthenticated" && door.value === "inside" && !isLeaving) hasExpired.value = true;
  if (error.kind === "unauthenticated") door.value = "login";
}

/** Asks whether there is a password and whether we are let in. */
export async function knock(): Promise<void> {
  try {
    const { setup_required, authenticated } = await authStatus();
    if (setup_required) door.value = "open";
    else door.value = authenticated ? "inside" : "login";
  } catch (error) {
    noteFailure(error);
  }
}

/** After a login or setup: everything is asked again, and the view is the one that was asked for. */
export function enter(): void {
  hasExpired.value = false;
  door.value = "inside";
  askAgain();
}

/** Logs out; whoever cannot be logged out stays inside. */
export async function leave(): Promise<void> {
  isLeaving = true;
  hasExpired.value = false;
  try {
    await logOut();
    door.value = "login";
  } catch (error) {
    noteFailure(error);
  }
  isLeaving = false;
}
