/** A button that copies a text to the clipboard and confirms it. */
import { useState } from "preact/hooks";

const CONFIRMATION_MS = 2500;

export function CopyButton({ text, label }: { readonly text: string; readonly label: string }) {
  const [state, setState] = useState<"idle" | "done" | "failed">("idle");
  async function copy() {
    try {
      await navigator.clipboard.writeText(text);
      setState("done");
    } catch {
      setState("failed");
    }
    setTimeout(() => setState("idle"), CONFIRMATION_MS);
  }
  return (
    <button type="button" class="button" onClick={() => void copy()}>
      <span aria-live="polite">{{ idle: label, done: "Copied ✓", failed: "Select the text and press Ctrl+C" }[state]}</span>
    </button>
  );
}
