/** A list of findings, each with its mark and what to do about it. */
import { Marked } from "../kit/marked.tsx";
import type { Check } from "./check.ts";

const VERDICTS: Readonly<Record<Check["verdict"], readonly [mark: string, word: string]>> = {
  ok: ["✓", "OK"],
  problem: ["✗", "Problem"],
  note: ["i", "Note"],
};

const CheckItem = ({ verdict, finding, advice }: Check) => (
  <li class="check" data-verdict={verdict}>
    <span class="check-mark" aria-hidden="true">
      {VERDICTS[verdict][0]}
    </span>
    <div>
      <p>
        <span class="unseen">{VERDICTS[verdict][1]}: </span>
        <Marked text={finding} />
      </p>
      {advice !== undefined && (
        <p class="dim">
          <Marked text={advice} />
        </p>
      )}
    </div>
  </li>
);

export const CheckList = ({ label, checks }: { readonly label: string; readonly checks: readonly Check[] }) => (
  <ul class="checks" aria-label={label}>
    {checks.map((check) => (
      <CheckItem key={check.finding} {...check} />
    ))}
  </ul>
);
