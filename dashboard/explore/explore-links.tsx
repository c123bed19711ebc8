/** The way from the dashboard to Explore, with a link for each of its reports. */
import { onPlainClick } from "../kit/pointing.ts";
import { shownReports } from "../state/known-sites.ts";
import { exploreHref, openExplore } from "../state/view.ts";
import { words } from "../words/words.ts";

export function ExploreLinks() {
  const reports = shownReports();
  if (reports.length === 0) return null;
  return (
    <nav class="panel explore-links" aria-label={words.exploreLinks.title}>
      <h2>{words.exploreLinks.title}</h2>
      <p>{words.exploreLinks.about}</p>
      <ul>
        {reports.map((report) => (
          <li key={report}>
            <a class="link" href={exploreHref(report)} onClick={onPlainClick(() => openExplore(report))}>
              {words.cards[report]}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
