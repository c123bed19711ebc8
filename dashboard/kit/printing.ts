/** Prints the whole page: cards load when they are near the window, so those further down load first. */
import { signal } from "@preact/signals";
import { words } from "../words/words.ts";
import { closeToast, showToast } from "./toast.tsx";

/** True once something was printed: all cards load, wherever they are. */
export const isPrinted = signal(false);

const LOADING = "main :is(.loading, .skeleton, .stale, .map-place:empty)";
const LOADING_MS_MAX = 20_000;

/** Resolves with the next frame in which nothing is loading, or when it takes too long: the paper then says what is missing. */
function loaded(): Promise<void> {
  const startMs = performance.now();
  return new Promise((resolve) => {
    function look() {
      if (document.querySelector(LOADING) === null || performance.now() - startMs > LOADING_MS_MAX) resolve();
      else requestAnimationFrame(look);
    }
    // Not before the cards know that they are printed.
    requestAnimationFrame(() => requestAnimationFrame(look));
  });
}

export async function printPage(): Promise<void> {
  isPrinted.value = true;
  showToast({ text: words.kit.loadingCards });
  await loaded();
  closeToast();
  print();
}

/** The browser's own shortcut prints what is there. An open dialog is printed alone, and is there. */
function onKey(event: KeyboardEvent): void {
  const isPrint = (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey && event.key.toLowerCase() === "p";
  if (!isPrint || document.querySelector("dialog[open]")) return;
  event.preventDefault();
  void printPage();
}

const onPrint = (): void => void (isPrinted.value = true);

/** Returns a function that stops it. */
export function watchPrinting(): () => void {
  document.addEventListener("keydown", onKey);
  // The menu of the browser: too late to wait for requests.
  addEventListener("beforeprint", onPrint);
  return () => {
    document.removeEventListener("keydown", onKey);
    removeEventListener("beforeprint", onPrint);
  };
}
