/** A button of something that cannot be undone, and that mostly destroys something: the first click asks, the second does it. Leaving the button takes the question back. */
import { useState } from "preact/hooks";

interface ConfirmedButtonProps {
  readonly label: string;
  readonly confirmLabel: string;
  /** What it is done to, for screen readers. */
  readonly subject?: string;
  readonly isSmall?: boolean;
  readonly isDanger?: boolean;
  readonly onConfirm: () => void;
}

export function ConfirmedButton({ label, confirmLabel, subject, isSmall = false, isDanger = true, onConfirm }: ConfirmedButtonProps) {
  const [isConfirming, setConfirming] = useState(false);
  return (
    <button
      type="button"
      class={["button", isSmall && "small", isDanger && "danger"].filter(Boolean).join(" ")}
      onClick={() => {
        setConfirming(!isConfirming);
        if (isConfirming) onConfirm();
      }}
      onBlur={() => setConfirming(false)}
    >
      <span aria-live="polite">{isConfirming ? confirmLabel : label}</span>
      {subject !== undefined && <span class="unseen"> {subject}</span>}
    </button>
  );
}
