/** The help dialog: keyboard shortcuts and the definitions of the metrics. */
import { shownMetrics } from "../charts/shown-metrics.ts";
import { Dialog } from "../kit/dialog.tsx";
import { timeZone } from "../state/known-sites.ts";
import { isGuest } from "../state/share.ts";
import { closePanel, site } from "../state/view.ts";
import { fill, words } from "../words/words.ts";
import { sitesShortcuts, siteShortcuts } from "./keyboard.ts";

const shortcuts = () => (site.value === null ? sitesShortcuts() : siteShortcuts(isGuest));

const Definitions = () => (
  <>
    <h3>{words.help.definitions}</h3>
    <dl class="definitions">
      {shownMetrics().map(({ id, title, definition }) => (
        <div key={id}>
          <dt>{title}</dt>
          <dd>{definition}</dd>
        </div>
      ))}
    </dl>
    <p class="dim">{fill(words.help.about, { zone: timeZone.value })}</p>
  </>
);

export const HelpPanel = () => (
  <Dialog title={words.help.title} onClose={closePanel}>
    <h3>{words.help.shortcuts}</h3>
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
