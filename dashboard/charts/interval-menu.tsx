/** The menu that chooses the interval of the chart, where more than one suits the range. */
import { Menu } from "../kit/menu.tsx";
import { range } from "../state/period.ts";
import { navigate } from "../state/url.ts";
import { defaultInterval, offeredIntervals, type Interval } from "./buckets.ts";

const LABELS: Readonly<Record<Interval, string>> = {
  minute: "By minute",
  hour: "By hour",
  day: "By day",
  week: "By week",
  month: "By month",
};

export function IntervalMenu({ interval }: { readonly interval: Interval }) {
  const offered = offeredIntervals(range.value);
  if (offered.length < 2) return null;
  const byDefault = defaultInterval(range.value);
  return (
    <Menu
      label={`Interval: ${LABELS[interval]}`}
      buttonClass="link"
      button={
        <>
          {LABELS[interval]} <span class="caret" aria-hidden="true" />
        </>
      }
      items={offered.map((id) => ({
        label: LABELS[id],
        isChosen: id === interval,
        onChoose: () => navigate({ interval: id === byDefault ? null : id }),
      }))}
    />
  );
}
