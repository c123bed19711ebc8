/** How much a figure has changed: an arrow for up or down, green or red for better or worse, and the same in words. */
import { rateText } from "../format/numbers.ts";
import type { Change } from "./metrics.ts";

const ARROWS = { up: "↑", down: "↓", same: "→" } as const;
const WORDS = { up: "up", down: "down", same: "unchanged" } as const;

export function ChangeArrow({ change, title }: { readonly change: Change; readonly title?: string }) {
  const { by, direction, isGood } = change;
  const tone = isGood === null ? "" : isGood ? " better" : " worse";
  const amount = by === null ? "new" : direction === "same" ? "0 %" : rateText(Math.abs(by));
  return (
    <span class={`change${tone}`} title={title} data-direction={direction}>
      <span aria-hidden="true">{ARROWS[direction]} </span>
      <span class="unseen">{WORDS[direction]} by </span>
      {amount}
    </span>
  );
}
