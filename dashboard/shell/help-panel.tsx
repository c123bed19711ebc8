/** The help dialog: keyboard shortcuts and the definitions of the metrics. */
import { shownMetrics } from "../charts/shown-metrics.ts";
import { Dialog } from "../components/dialog.tsx";
import { closePanel } from "../state/view.ts";
import { SHORTCUTS } from "./keyboard.ts";

export const HelpPanel = () => (
  <Dialog title="Help" onClose={closePanel}>
    <h3>Keyboard shortcuts</h3>
    <dl class="keys">
      {SHORTCUTS.map(([keys, meaning]) => (
        <div key={keys}>
          <dt>
            <kbd>{keys}</kbd>
          </dt>
          <dd>{meaning}</dd>
        </div>
      ))}
    </dl>
    <h3>Definitions</h3>
    <dl class="definitions">
      {shownMetrics().map(({ id, title, definition }) => (
        <div key={id}>
          <dt>{title}</dt>
          <dd>{definition}</dd>
        </div>
      ))}
    </dl>
    <p class="dim">All days and hours are in UTC. Click a row to filter by it; click it again to remove the filter.</p>
  </Dialog>
);
