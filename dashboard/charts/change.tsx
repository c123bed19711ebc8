/** The change of a metric against the compared period: an arrow for the direction, green or red by meaning, and the same in text. */
import { changeOf, type Values } from "./change-text.ts";

const LABELS = { up: "up by ", down: "down by ", same: "unchanged " } as const;

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
