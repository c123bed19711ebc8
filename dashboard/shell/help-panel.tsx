/** The keys, and what the figures mean. */
import { METRICS, METRIC_WORDS } from "../charts/metrics.ts";
import { Dialog } from "../components/dialog.tsx";
import { closePanel } from "../state/view.ts";
import { KEYS } from "./keyboard.ts";

export const HelpPanel = () => (
  <Dialog title="Help" onClose={closePanel}>
    <h3>Keys</h3>
    <dl class="keys">
      {KEYS.map(([keys, meaning]) => (
        <div key={keys}>
          <dt>
            <kbd>{keys}</kbd>
          </dt>
          <dd>{meaning}</dd>
        </div>
      ))}
    </dl>
    <h3>What the figures mean</h3>
    <dl class="definitions">
      {METRICS.map((metric) => (
        <div key={metric}>
          <dt>{METRIC_WORDS[metric].title}</dt>
          <dd>{METRIC_WORDS[metric].definition}</dd>
        </div>
      ))}
    </dl>
    <p class="dim">All days and hours are UTC. Click any row to filter everything by it; click it again to take the filter away.</p>
  </Dialog>
);
