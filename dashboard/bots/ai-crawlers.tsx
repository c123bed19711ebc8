/** What AI crawlers read, as servers report it, beside the visits from the assistants of their operators (docs/bots.md). */
import { readablePath } from "../../src/shared/paths.ts";
import type { Reports } from "../api/types.ts";
import { formatCount } from "../format/locale.ts";
import { Empty, ReportView } from "../kit/states.tsx";
import { useReport } from "../state/requests.ts";
import { datesScope } from "../state/scope.ts";
import { fill, pluralForm, words } from "../words/words.ts";

type Crawls = Reports["crawls"];
type Crawler = Crawls["crawlers"][number];

/** Rows of pages. */
const ROWS = 9;

const partsOf = (parts: readonly (readonly [name: string, reads: number])[]): string =>
  parts.map(([name, reads]) => `${name} × ${formatCount(reads)}`).join(", ");

const statusesOf = (statuses: Crawler["statuses"]): string =>
  partsOf(statuses.map(({ status, reads }) => [status === null ? words.crawls.noStatus : String(status), reads]));

/** Whether its addresses were those of the operator. Without lists of addresses nothing is said, as nothing was compared. */
function verificationOf({ verified, verified_reads: count }: Crawler): string | null {
  if (count === 0) return null;
  return verified ? words.crawls.verified : fill(pluralForm(words.crawls.partlyVerified, count), { count: formatCount(count) });
}

function crawlerName(crawler: Crawler): string {
  const { name, purpose } = crawler;
  const parts = [purpose && words.crawls.purposes[purpose], verificationOf(crawler)].filter((part) => part !== null);
  return parts.length === 0 ? name : `${name} (${parts.join(", ")})`;
}

function Operators({ operators, crawlers }: Crawls) {
  const crawlersOf = (operator: string) =>
    crawlers.filter((crawler) => crawler.operator === operator).map((crawler) => [crawlerName(crawler), crawler.reads] as const);
  return (
    <table class="table">
      <thead>
        <tr>
          <th scope="col">{words.bots.operator}</th>
          <th scope="col">{words.crawls.crawlers}</th>
          <th scope="col">{words.crawls.reads}</th>
          <th scope="col">{words.crawls.visits}</th>
        </tr>
      </thead>
      <tbody>
        {operators.map(({ operator, reads, assistants, visits }) => (
          <tr key={operator}>
            <th scope="row">{operator}</th>
            <td>{partsOf(crawlersOf(operator)) || "–"}</td>
            <td>{formatCount(reads)}</td>
            <td title={assistants.join(", ") || undefined}>{visits === null ? "–" : formatCount(visits)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Operators, with how many came to the page from their assistants. */
const visitsOf = (operators: Crawls["paths"]["rows"][number]["operators"]): string =>
  partsOf(operators.flatMap(({ operator, visits }) => (visits === null || visits === 0 ? [] : [[operator, visits] as const])));

const Pages = ({ paths: { rows, rest } }: Crawls) => (
  <table class="table">
    <thead>
      <tr>
        <th scope="col">{words.bots.page}</th>
        <th scope="col">{words.crawls.crawlers}</th>
        <th scope="col">{words.crawls.statuses}</th>
        <th scope="col">{words.crawls.reads}</th>
        <th scope="col">{words.crawls.pageVisits}</th>
      </tr>
    </thead>
    <tbody>
      {rows.map(({ path, reads, statuses, crawlers, operators }) => (
        <tr key={path}>
          <th scope="row">{readablePath(path)}</th>
          <td>{partsOf(crawlers.map(({ name, reads: ofName }) => [name, ofName]))}</td>
          <td>{statusesOf(statuses)}</td>
          <td>{formatCount(reads)}</td>
          <td>{visitsOf(operators) || "–"}</td>
        </tr>
      ))}
      {rest > 0 && (
        <tr>
          <th scope="row">{words.bots.rest}</th>
          <td />
          <td />
          <td>{formatCount(rest)}</td>
          <td />
        </tr>
      )}
    </tbody>
  </table>
);

export function AiCrawlers() {
  const report = useReport("crawls", { ...datesScope.value, limit: ROWS });
  return (
    <section class="panel tables">
      <h2 id="crawls-title">{words.crawls.title}</h2>
      <p class="dim">{words.crawls.about}</p>
      <ReportView report={report} rows={3}>
        {(crawls) =>
          crawls.operators.length === 0 ? (
            <Empty>{words.crawls.nothing}</Empty>
          ) : (
            <div class="table-scroll" tabIndex={0} role="region" aria-labelledby="crawls-title">
              <Operators {...crawls} />
              {crawls.paths.rows.length > 0 && <Pages {...crawls} />}
            </div>
          )
        }
      </ReportView>
    </section>
  );
}
