/** The change of a metric against the compared period: an arrow for the direction, green or red by meaning, and the same in text. */
import { formatRate } from "../format/locale.ts";

const ARROWS = { up: "↑", down: "↓", same: "→" } as const;
const LABELS = { up: "up by ", down: "down by ", same: "unchanged " } as const;

interface Values {
  readonly now: number;
  readonly before: number;
  /** As with the bounce rate. */
  readonly isLessBetter?: boolean | undefined;
  /** Of the percentage, by default with one decimal. */
  readonly format?: (rate: number) => string;
}

interface ChangeText {
  readonly direction: keyof typeof ARROWS;
  readonly arrow: string;
  readonly tone: "better" | "worse" | null;
  /** Without its sign. */
  readonly percentage: string;
}

/** Null for a change from zero, of which there is no percentage. */
export function changeOf({ now, before, isLessBetter = false, format = formatRate }: Values): ChangeText | null {
  if (before === 0) return null;
  const direction = now > before ? "up" : now < before ? "down" : "same";
  const isBetter = (direction === "up") !== isLessBetter;
  return {
    direction,
    arrow: ARROWS[direction],
    tone: direction === "same" ? null : isBetter ? "better" : "worse",
    percentage: format(Math.abs((now - before) / before)),
  };
}

/** In place of a change from nothing. */
export const NewValue = () => <span class="change">new</span>;

export function Change({ title, ...values }: Values & { readonly title?: string }) {
  const change = changeOf(values);
  if (change === null) return null;
  const { direction, arrow, tone, percentage } = change;
  return (
    <span class={tone === null ? "change" : `change ${tone}`} title={title} data-direction={direction}>
      <span aria-hidden="true">{arrow} </span>
      <span class="unseen">{LABELS[direction]}</span>
      {percentage}
    </span>
  );
}
