/** What the files of an import have, before it counts; and afterwards, what was imported of it and why the rest was not. */
import type { ComponentChildren } from "preact";
import type { Import } from "../api/types.ts";
import { countOf, formatCount, formatDuration, formatMonthAndYear, formatRange } from "../format/locale.ts";
import { fill, words } from "../words/words.ts";
import { Folded } from "./folded.tsx";

type Manifest = NonNullable<Import["manifest"]>;
type Reconciliation = NonNullable<Import["reconciliation"]>;

/** Sentences of the service, which writes English. */
const English = ({ children }: { readonly children: string }) => <span lang="en">{children}</span>;

interface Reasoned {
  readonly reason: string;
  readonly description: string;
}

/** A reason in the reader's language, if the page knows it. */
function Reason({ reason, description }: Reasoned) {
  const known: Readonly<Record<string, string>> = words.importReasons;
  const text = Object.hasOwn(known, reason) ? known[reason] : undefined;
  return text === undefined ? <English>{description}</English> : <>{text}</>;
}

interface ListProps<T> {
  readonly title: string;
  readonly items: readonly T[];
  readonly children: (item: T) => ComponentChildren;
}

function Listed<T>({ title, items, children }: ListProps<T>) {
  return items.length === 0 ? null : (
    <>
      <h4>{title}</h4>
      <ul class="bullets">
        {items.map((item, i) => (
          <li key={i}>{children(item)}</li>
        ))}
      </ul>
    </>
  );
}

const Fact = ({ label, children }: { readonly label: string; readonly children: ComponentChildren }) => (
  <div>
    <dt>{label}</dt>
    <dd>{children}</dd>
  </div>
);

const Paths = ({ paths, count }: { readonly paths: readonly string[]; readonly count: number }) => (
  <Folded title={countOf(count, words.counts.file)}>
    <ul class="paths">
      {paths.map((path) => (
        <li key={path}>{path}</li>
      ))}
      {count > paths.length && <li>{fill(words.data.more, { count: count - paths.length })}</li>}
    </ul>
  </Folded>
);

const Product = ({ product }: { readonly product: Manifest["products"][number] }) => (
  <section class="import-product">
    <h3>
      {product.product}
      {product.generation !== null && (
        <>
          {" "}
          <small class="dim">
            <English>{product.generation}</English>
          </small>
        </>
      )}
    </h3>
    <dl class="facts">
      <Fact label={words.imports.files}>
        <Paths paths={product.paths} count={product.files} />
      </Fact>
      <Fact label={words.imports.timeZone}>
        {product.time_zone.name}
        <small class="reason dim">
          <English>{product.time_zone.reason}</English>
        </small>
      </Fact>
    </dl>
    <Listed title={words.imports.lost} items={product.lost}>
      {(sentence) => <English>{sentence}</English>}
    </Listed>
  </section>
);

type Measure = Reconciliation[number]["measure"];

const MEASURES: Readonly<Record<Measure, string>> = {
  visitors: words.imports.visitors,
  visits: words.imports.visits,
  pageviews: words.imports.pageviews,
  events: words.imports.events,
  bounces: words.imports.bounces,
  duration_secs: words.imports.durationSecs,
};

const formatMeasure = (measure: Measure, value: number): string =>
  measure === "duration_secs" ? formatDuration(value) : formatCount(value);

const totalOf = ({ totals }: Pick<Manifest, "totals">, measure: Measure): number =>
  totals.reduce((sum, month) => sum + (month[measure] ?? 0), 0);

/** The measures that the files have. */
const measuresIn = (manifest: Manifest): readonly Measure[] =>
  (Object.keys(MEASURES) as Measure[]).filter((measure) => totalOf(manifest, measure) > 0);

interface TableProps {
  readonly label: string;
  readonly heads: readonly string[];
  readonly rows: readonly (readonly ComponentChildren[])[];
}

/** The first column names the row. */
const Table = ({ label, heads, rows }: TableProps) => (
  <div class="table-scroll" tabIndex={0} role="region" aria-label={label}>
    <table class="table">
      <thead>
        <tr>
          {heads.map((head) => (
            <th key={head} scope="col">
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(([first, ...others], i) => (
          <tr key={i}>
            <th scope="row">{first}</th>
            {others.map((cell, column) => (
              <td key={column}>{cell}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);

const monthName = (month: string): string => formatMonthAndYear(`${month}-01`);

const overlapText = ({ import_id: id, days, start_date: start, end_date: end, by }: Manifest["overlaps"][number]): string =>
  fill(by === "events" ? words.imports.overlapByEvents : words.imports.overlapByDays, {
    id: `#${id}`,
    days: countOf(days, words.counts.day),
    dates: formatRange(start, end),
  });

/** What is left out, and why: rows, days, files. */
function LeftOut({ manifest }: { readonly manifest: Manifest }) {
  const { cut_off: cutOff, overlaps, left_out: leftOut, bad_rows: bad, ignored, ignored_files: ignoredFiles, refused, remarks } = manifest;
  return (
    <>
      {cutOff && (
        <p class="notice">
          <English>{cutOff.reason}</English>
        </p>
      )}
      {manifest.crawls > 0 && <p>{fill(words.imports.crawls, { count: formatCount(manifest.crawls) })}</p>}
      <Listed title={words.imports.overlaps} items={overlaps}>
        {overlapText}
      </Listed>
      <Listed title={words.imports.leftOut} items={leftOut}>
        {({ rows, ...reasoned }) => (
          <>
            {countOf(rows, words.counts.row)}: <Reason {...reasoned} />
          </>
        )}
      </Listed>
      <Listed title={words.imports.unreadable} items={bad.reasons}>
        {({ rows, ...reasoned }) => (
          <>
            {countOf(rows, words.counts.row)}: <Reason {...reasoned} />
          </>
        )}
      </Listed>
      {bad.first.length > 0 && (
        <Folded title={fill(words.imports.firstUnreadable, { count: bad.first.length })}>
          <ul class="paths">
            {bad.first.map(({ path, line, value }) => (
              <li key={`${path}:${line}`}>
                {path}:{line}: <code>{value}</code>
              </li>
            ))}
          </ul>
        </Folded>
      )}
      <Listed title={words.imports.refused} items={refused}>
        {({ product, paths, advice }) => (
          <>
            {product}: {paths.join(", ")}: <English>{advice}</English>
          </>
        )}
      </Listed>
      {ignoredFiles > 0 && (
        <Folded title={fill(words.imports.ignored, { files: countOf(ignoredFiles, words.counts.file) })}>
          <ul class="paths">
            {ignored.map(({ path, reason }) => (
              <li key={path}>
                {path}: <English>{reason}</English>
              </li>
            ))}
            {ignoredFiles > ignored.length && <li>{fill(words.data.more, { count: ignoredFiles - ignored.length })}</li>}
          </ul>
        </Folded>
      )}
      <Listed title={words.imports.remarks} items={remarks}>
        {(sentence) => <English>{sentence}</English>}
      </Listed>
    </>
  );
}

export const ManifestView = ({ manifest }: { readonly manifest: Manifest }) => (
  <div class="manifest">
    {manifest.start_date !== null && manifest.end_date !== null && (
      <dl class="import-totals">
        {measuresIn(manifest).map((measure) => (
          <div key={measure}>
            <dt>{MEASURES[measure]}</dt>
            <dd>{formatMeasure(measure, totalOf(manifest, measure))}</dd>
          </div>
        ))}
        <div>
          <dt>{countOf(manifest.days, words.counts.day)}</dt>
          <dd>{formatRange(manifest.start_date, manifest.end_date)}</dd>
        </div>
        <div>
          <dt>{words.imports.rows}</dt>
          <dd>{formatCount(manifest.rows)}</dd>
        </div>
      </dl>
    )}
    {manifest.products.map((product, i) => (
      <Product key={i} product={product} />
    ))}
    <LeftOut manifest={manifest} />
    {manifest.totals.length > 1 && (
      <Folded title={words.imports.byMonth}>
        <Table
          label={words.imports.byMonth}
          heads={[words.imports.month, ...measuresIn(manifest).map((measure) => MEASURES[measure])]}
          rows={manifest.totals.map((totals) => [
            monthName(totals.month),
            ...measuresIn(manifest).map((measure) => formatMeasure(measure, totals[measure] ?? 0)),
          ])}
        />
      </Folded>
    )}
  </div>
);

export const ReconciliationView = ({ rows }: { readonly rows: Reconciliation }) => (
  <>
    <h3>{words.imports.reconciliation}</h3>
    <p class="dim">{words.imports.reconciliationAbout}</p>
    <Table
      label={words.imports.reconciliation}
      heads={[words.imports.month, words.imports.measure, words.imports.inFiles, words.imports.imported, words.imports.difference]}
      rows={rows.map(({ month, measure, source, imported, difference, reasons }) => [
        monthName(month),
        MEASURES[measure],
        formatMeasure(measure, source),
        formatMeasure(measure, imported),
        <>
          {formatMeasure(measure, difference)}
          {reasons.map(({ count, ...reasoned }) => (
            <small key={reasoned.reason} class="reason dim">
              {formatMeasure(measure, count)}: <Reason {...reasoned} />
            </small>
          ))}
        </>,
      ])}
    />
  </>
);
