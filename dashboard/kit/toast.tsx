/** A short message at the foot of the window, perhaps with a button that takes back what was done. */
import { signal } from "@preact/signals";
import { LinkButton } from "./inline.tsx";

interface Toast {
  readonly text: string;
  readonly action?: { readonly label: string; readonly run: () => void };
}

/** Long enough to read it, and to reach its button. */
const SHOWN_MS = 8000;

const shown = signal<Toast | null>(null);
let timer = 0;

export function closeToast(): void {
  clearTimeout(timer);
  shown.value = null;
}

/** Replaces the message before. */
export function showToast(toast: Toast): void {
  closeToast();
  shown.value = toast;
  timer = window.setTimeout(closeToast, SHOWN_MS);
}

export function ToastPlace() {
  const toast = shown.value;
  return (
    <div class="toast-place" role="status">
      {toast && (
        <p class="toast">
          {toast.text}
          {toast.action && (
            <LinkButton
              onClick={() => {
                closeToast();
                toast.action?.run();
              }}
            >
              {toast.action.label}
            </LinkButton>
          )}
        </p>
      )}
    </div>
  );
}
