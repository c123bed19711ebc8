/** The row above the details: search, currency of the revenue, downloads. */
import { useEffect, useRef, useState } from "preact/hooks";
import { problemText } from "../api/http.ts";
import { formatCount } from "../format/locale.ts";
import { Problem } from "../kit/states.tsx";
import { navigate } from "../state/url.ts";
import type { Row } from "./details-columns.ts";
import type { FileFormat } from "./details-request.ts";

const FORMATS: Readonly<Record<FileFormat, string>> = { csv: "CSV", json: "JSON" };

interface DownloadsProps {
  readonly fetchRows: (signal: AbortSignal, onProgress: (rows: number, total: number) => void) => Promise<readonly Row[]>;
  readonly onRows: (format: FileFormat, rows: readonly Row[]) => void;
}

/** Shows the progress of a download of many rows. Closing the dialog aborts it. */
function Downloads({ fetchRows, onRows }: DownloadsProps) {
  const [progress, setProgress] = useState<string | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);

  async function save(format: FileFormat) {
    const controller = new AbortController();
    running.current = controller;
    setProblem(null);
    setProgress("Preparing…");
    try {
      const onProgress = (rows: number, total: number) => setProgress(`${formatCount(rows)} of ${formatCount(total)}…`);
      onRows(format, await fetchRows(controller.signal, onProgress));
    } catch (error) {
      if (!controller.signal.aborted) setProblem(problemText(error));
    }
    setProgress(null);
  }

  return (
    <>
      {Object.entries(FORMATS).map(([format, name], i) => (
        <button key={format} type="button" class="button" disabled={progress !== null} onClick={() => void save(format as FileFormat)}>
          <span class={i === 0 ? "" : "unseen"}>Download </span>
          {name}
        </button>
      ))}
      <span class="dim" role="status">
        {progress}
      </span>
      <Problem text={problem} />
    </>
  );
}

interface DetailsBarProps extends DownloadsProps {
  readonly search: string;
  readonly onSearch: () => void;
  readonly currencies: readonly string[];
  readonly currency: string | null;
  readonly onCurrency: (currency: string) => void;
}

export const DetailsBar = ({ search, onSearch, currencies, currency, onCurrency, ...downloads }: DetailsBarProps) => (
  <div class="details-bar">
    <input
      type="search"
      aria-label="Search"
      placeholder="Search"
      value={search}
      onInput={(event) => {
        onSearch();
        navigate({ search: event.currentTarget.value }, true);
      }}
    />
    {currency !== null && currencies.length > 1 && (
      <select aria-label="Currency" value={currency} onChange={(event) => onCurrency(event.currentTarget.value)}>
        {currencies.map((each) => (
          <option key={each}>{each}</option>
        ))}
      </select>
    )}
    <Downloads {...downloads} />
  </div>
);
