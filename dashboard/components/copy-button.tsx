/** Puts a text on the clipboard and says that it did. */
import { useState } from "preact/hooks";

export function CopyButton({ text, label = "Copy" }: { readonly text: string; readonly label?: string }) {
  const [state, setState] = useState<"idle" | "done" | "failed">("idle");
  async function copy() {
    try {
      await navigator.clipboard.writeText(text);
      setState("done");
    } catch {
      setState("failed");
    }
    setTimeout(() => setState("idle"), 2500);
  }
  return (
    <button type="button" class="button" onClick={() => void copy()}>
      <span aria-live="polite">{{ idle: label, done: "Copied ✓", failed: "Select it and press Ctrl+C" }[state]}</span>
    </button>
  );
}
