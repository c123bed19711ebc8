/** What a card shows when it has no figures: that they load, that there are none, or why they did not come. */
import type { ComponentChildren } from "preact";
import type { Figure } from "../state/use-report.ts";

export function Loading({ rows = 9 }: { readonly rows?: number }) {
  return (
    <div class="loading" role="status" aria-label="Loading">
      {Array.from({ length: rows }, (_, i) => (
        <div key={i} class="loading-row" />
      ))}
    </div>
  );
}

export const Empty = ({ children = "Nothing in this period" }: { readonly children?: ComponentChildren }) => (
  <p class="empty">{children}</p>
);

export function Failure({ figure }: { readonly figure: Pick<Figure<unknown>, "error" | "retry"> }) {
  const { error, retry } = figure;
  const isMissing = error?.kind === "unavailable" && error.retryAfterSecs === null;
  return (
    <div class="failure" role="alert">
      <p>{isMissing ? "Visits cannot be computed here: the behavioral extension is not loaded." : error?.message}</p>
      {!isMissing && (
        <button type="button" class="button small" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  );
}

interface FigureViewProps<T> {
  readonly figure: Figure<T>;
  readonly rows?: number;
  readonly children: (data: T) => ComponentChildren;
}

/** Figures when they are there, dimmed while newer ones load. */
export function FigureView<T>({ figure, rows, children }: FigureViewProps<T>) {
  if (figure.error) return <Failure figure={figure} />;
  if (figure.data === undefined) return <Loading {...(rows !== undefined && { rows })} />;
  return (
    <div class={figure.isStale ? "figures stale" : "figures"} aria-busy={figure.isStale}>
      {children(figure.data)}
    </div>
  );
}
