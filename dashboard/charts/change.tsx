/** The change of a metric against the compared period: an arrow for the direction, green or red by meaning, and the same in text. Nothing from zero. */
import { formatRate } from "../format/locale.ts";

const ARROWS = { up: "↑", down: "↓", same: "→" } as const;
const LABELS = { up: "up by ", down: "down by ", same: "unchanged " } as const;

interface ChangeProps {
  readonly now: number;
  readonly before: number;
  /** As with the bounce rate. */
  readonly isLessBetter?: boolean | undefined;
  readonly title?: string;
}

export function Change({ now, before, isLessBetter = false, title }: ChangeProps) {
  const direction = now > before ? "up" : now < before ? "down" : "same";
  const tone = direction === "same" ? "" : (direction === "up") !== isLessBetter ? " better" : " worse";
  // From nothing there is no percentage.
  if (before === 0) return null;
  return (
    <span class={`change${tone}`} title={title} data-direction={direction}>
      <span aria-hidden="true">{ARROWS[direction]} </span>
      <span class="unseen">{LABELS[direction]}</span>
      {formatRate(Math.abs((now - before) / before))}
    </span>
  );
}
