/** The help dialog: keyboard shortcuts and the definitions of the metrics. */
import { shownMetrics } from "../charts/shown-metrics.ts";
import { Dialog } from "../kit/dialog.tsx";
import { timeZone } from "../state/known-sites.ts";
import { isGuest } from "../state/share.ts";
import { closePanel, site } from "../state/view.ts";
import { KEYS_OF_OWNERS, SHORTCUTS, SITES_SHORTCUTS } from "./keyboard.ts";

const shortcuts = () =>
  site.value === null ? SITES_SHORTCUTS : SHORTCUTS.filter(({ 0: keys }) => !isGuest || !KEYS_OF_OWNERS.includes(keys));

const Definitions = () => (
  <>
    <h3>Definitions</h3>
    <dl class="definitions">
      {shownMetrics().map(({ id, title, definition }) => (
        <div key={id}>
          <dt>{title}</dt>
          <dd>{definition}</dd>
        </div>
      ))}
    </dl>
    <p class="dim">
      All days and hours are in {timeZone.value}. Click a row, or a country of the map, to filter by it; click it again to remove the
      filter. Alt-click excludes it, Shift-click adds it to the values of a filter.
    </p>
  </>
);

export const HelpPanel = () => (
  <Dialog title="Help" onClose={closePanel}>
    <h3>Keyboard shortcuts</h3>
    <dl class="keys">
      {shortcuts().map(([keys, meaning]) => (
        <div key={keys}>
          <dt>
            <kbd>{keys}</kbd>
          </dt>
          <dd>{meaning}</dd>
        </div>
      ))}
    </dl>
    {site.value !== null && <Definitions />}
  </Dialog>
);
