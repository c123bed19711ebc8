/** A list of rows: label, a bar proportional to the largest, a number, and on hover the share of the total. */
import { useState } from "preact/hooks";
import { compactCount, formatShare } from "../format/locale.ts";
import { RowFilterButton } from "./filter-row.tsx";
import { RowChange } from "./row-change.tsx";
import type { Row } from "./row.ts";

/** Before a label; nothing if the text is empty. */
export const RowMark = ({ text }: { readonly text: string }) =>
  text === "" ? null : (
    <span class="row-mark" aria-hidden="true">
      {text}
    </span>
  );

function RowText({ row }: { readonly row: Row }) {
  const { mark = "", label, count, before, share, countTitle, text } = row;
  return (
    <>
      <span class="row-label">
        <RowMark text={mark} />
        {label}
      </span>
      <span class="row-numbers">
        {share !== null && <span class="row-share">{formatShare(share)}</span>}
        <span class="row-count" title={countTitle}>
          {text ?? compactCount(count)}
        </span>
        {before !== undefined && <RowChange now={count} before={before} title={countTitle} />}
      </span>
    </>
  );
}

/** Longer labels may be cut, so a click shows them whole. */
const LABEL_CHARS_MAX = 30;

/** A row whose click does nothing else. */
function PlainRow({ row }: { readonly row: Row }) {
  const [isWhole, setWhole] = useState(false);
  const title = row.title ?? row.label;
  if (row.label.length <= LABEL_CHARS_MAX)
    return (
      <div class="row-button" title={title}>
        <RowText row={row} />
      </div>
    );
  return (
    <button type="button" class="row-button" title={title} aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
      <RowText row={row} />
    </button>
  );
}

function RowContent({ row }: { readonly row: Row }) {
  if (row.filter) {
    return (
      <RowFilterButton row={row} filter={row.filter}>
        <RowText row={row} />
      </RowFilterButton>
    );
  }
  if (!row.onChoose) return <PlainRow row={row} />;
  return (
    <button type="button" class="row-button" title={row.title ?? row.label} onClick={row.onChoose}>
      <RowText row={row} />
    </button>
  );
}

export function RowList({ rows, label }: { readonly rows: readonly Row[]; readonly label: string }) {
  const largest = Math.max(...rows.map(({ count }) => count), 1);
  return (
    <ol class="rows" aria-label={label}>
      {rows.map((row) => (
        <li key={row.key} class={row.isChosen === true ? "row chosen" : "row"}>
          <span class="row-bar" aria-hidden="true" style={{ width: `${(Math.max(row.count, 0) / largest) * 100}%` }} />
          <RowContent row={row} />
          {row.href != null && (
            <a class="row-link" href={row.href} target="_blank" rel="noreferrer noopener" aria-label={`Open ${row.label} in a new tab`}>
              ↗
            </a>
          )}
        </li>
      ))}
    </ol>
  );
}
