/** Why retention lacks returning visitors, and which option changes that at which price (docs/reports.md, "Retention"). */
import { CopyButton } from "../kit/copy-button.tsx";
import { environmentVariable } from "../names.ts";

const OPTION = "visitor_salt_rotation_days";

/** How to follow visitors for that many weeks. */
function HowToEnable({ weeks }: { readonly weeks: number }) {
  const days = 7 * weeks;
  const variable = `${environmentVariable(OPTION)}=${days}`;
  return (
    <details class="how-to">
      <summary>How to enable it</summary>
      <p>
        To follow visitors for {weeks} weeks, set <code>{OPTION}</code> to {days} or more, and restart the server. Visitors are recognized
        from then on.
      </p>
      <p class="how-to-line">
        <code>{variable}</code> <CopyButton text={variable} label="Copy" />
      </p>
      <p>
        This is a decision about your visitors' privacy. Everything that a visitor does in these {days} days shares one ID, and anyone who
        can read the server's secret can test whether an address visited on any of them, not only today. Unique visitors then count once in{" "}
        {days} days instead of once a day.
      </p>
    </details>
  );
}

/** In place of a table that could only have zeros. */
export const RetentionSetup = ({ weeks }: { readonly weeks: number }) => (
  <div class="explanation">
    <h3>Retention needs visitor IDs that last longer than 1 day</h3>
    <p>
      To protect your visitors, IDs are replaced before they could return in another week. So everybody who returns counts as new, and
      nobody as retained.
    </p>
    <HowToEnable weeks={weeks} />
  </div>
);

/** Above a table that lacks visitors in later weeks. */
export const ShortIdsNotice = ({ weeks }: { readonly weeks: number }) => (
  <div class="notice">
    <p>Visitor IDs last for less than {weeks} weeks, so later weeks lack visitors who returned.</p>
    <HowToEnable weeks={weeks} />
  </div>
);
