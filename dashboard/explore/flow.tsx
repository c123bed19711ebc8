/** The flow report: pages before and after a page, and who entered or left the site there. A click on a page moves there. */
import { readablePath } from "../../src/shared/paths.ts";
import { urlOf } from "../api/http.ts";
import type { FlowWithEnds } from "../api/types.ts";
import { RowList, type Row } from "../cards/rows.tsx";
import { countOf } from "../format/locale.ts";
import { Checkbox } from "../kit/forms.tsx";
import { Picker } from "../kit/picker.tsx";
import { Empty, ReportView } from "../kit/states.tsx";
import { useRequest, type Report } from "../state/requests.ts";
import { scope } from "../state/scope.ts";
import { navigate, param } from "../state/url.ts";
import { fill, rich, words } from "../words/words.ts";
import { usePageChoices } from "./steps.tsx";

const ROWS = 10;

type Direction = "forward" | "backward";

/** Views of the page right after one another, as after a reload, are one view unless the reader asks for them. */
const hasRepeats = (): boolean => param("repeats") === "keep";

function useFlow(page: string, direction: Direction): Report<FlowWithEnds> {
  const repeats = hasRepeats() ? "keep" : "skip";
  return useRequest(urlOf("/api/stats/flow", { ...scope.value, page, direction, repeats, with_ends: "true", limit: ROWS }));
}

function rowsOf({ visitors: viewers, ended, rows }: FlowWithEnds, direction: Direction): Row[] {
  const numbers = (visitors: number, share: number) => ({ count: visitors, share, countTitle: countOf(visitors, words.counts.visitor) });
  const { leftSite, enteredHere, otherPages } = words.explore;
  const others = viewers - ended - rows.reduce((sum, { visitors }) => sum + visitors, 0);
  // Their keys cannot be those of pages, which begin with a slash.
  const further = [
    { key: "end", label: direction === "forward" ? leftSite : enteredHere, ...numbers(ended, ended / viewers) },
    { key: "others", label: otherPages, ...numbers(others, others / viewers) },
  ];
  return [
    ...rows.map(({ next_page, visitors, share }) => ({
      key: next_page,
      label: readablePath(next_page),
      ...numbers(visitors, share),
      title: fill(words.explore.showFlow, { page: readablePath(next_page) }),
      onChoose: () => navigate({ page: next_page }),
    })),
    ...further.filter(({ count }) => count > 0),
  ].toSorted((a, b) => b.count - a.count);
}

function Neighbors({ report, direction }: { readonly report: Report<FlowWithEnds>; readonly direction: Direction }) {
  const title = direction === "forward" ? words.explore.nextPages : words.explore.previousPages;
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      <ReportView report={report} rows={5}>
        {(flow) => (flow.visitors === 0 ? <Empty /> : <RowList label={title} rows={rowsOf(flow, direction)} />)}
      </ReportView>
    </section>
  );
}

export function Flow() {
  const pages = usePageChoices();
  const page = param("page") ?? pages.choices[0]?.value ?? "/";
  const before = useFlow(page, "backward");
  const after = useFlow(page, "forward");
  const hasNoPages = !pages.isLoading && pages.choices.length === 0 && param("page") === null;
  if (hasNoPages) return <Empty />;
  return (
    <>
      <div class="field">
        <span class="field-label">{words.explore.page}</span>
        <Picker
          label={words.explore.page}
          {...pages}
          value={page}
          onPick={(picked) => navigate({ page: picked })}
          choiceOf={(typed) => (/^\/.*\*/.test(typed) ? { value: typed, label: typed, hint: words.explore.wildcard } : null)}
        />
        <Checkbox isChecked={hasRepeats()} onChange={(isChecked) => navigate({ repeats: isChecked ? "keep" : null })}>
          {words.explore.countRepeats}
        </Checkbox>
      </div>
      {after.data && after.data.visitors > 0 && (
        <p class="flow-viewers">
          {rich(words.explore.viewedPage, {
            visitors: <strong>{countOf(after.data.visitors, words.counts.visitor)}</strong>,
            page: readablePath(page),
          })}
        </p>
      )}
      <div class="halves">
        <Neighbors report={before} direction="backward" />
        <Neighbors report={after} direction="forward" />
      </div>
    </>
  );
}
