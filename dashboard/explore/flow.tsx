/** The flow report: pages before and after a page. A click on one moves there. */
import { readablePath } from "../../src/shared/paths.ts";
import { RowList } from "../cards/rows.tsx";
import { countOf } from "../format/locale.ts";
import { Picker } from "../kit/picker.tsx";
import { Empty, ReportView } from "../kit/states.tsx";
import { useReport } from "../state/requests.ts";
import { scope } from "../state/scope.ts";
import { navigate, param } from "../state/url.ts";
import { fill, words } from "../words/words.ts";
import { usePageChoices } from "./steps.tsx";

const ROWS = 10;

interface NeighborsProps {
  readonly title: string;
  readonly page: string;
  readonly direction: "forward" | "backward";
}

function Neighbors({ title, page, direction }: NeighborsProps) {
  const report = useReport("flow", { ...scope.value, page, direction, limit: ROWS });
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      <ReportView report={report} rows={5}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty>{direction === "forward" ? words.explore.noNextPages : words.explore.noPreviousPages}</Empty>
          ) : (
            <RowList
              label={title}
              rows={rows.map(({ next_page, visitors, share }) => ({
                key: next_page,
                label: readablePath(next_page),
                count: visitors,
                share,
                countTitle: countOf(visitors, words.counts.visitor),
                title: fill(words.explore.showFlow, { page: readablePath(next_page) }),
                onChoose: () => navigate({ page: next_page }),
              }))}
            />
          )
        }
      </ReportView>
    </section>
  );
}

export function Flow() {
  const pages = usePageChoices();
  const page = param("page") ?? pages.choices[0]?.value ?? "/";
  return (
    <>
      <div class="field wide-field">
        <span class="field-label">{words.explore.page}</span>
        <Picker
          label={words.explore.page}
          {...pages}
          value={page}
          onPick={(picked) => navigate({ page: picked })}
          choiceOf={(typed) => (/^\/.*\*/.test(typed) ? { value: typed, label: typed, hint: words.explore.wildcard } : null)}
        />
      </div>
      <div class="halves">
        <Neighbors title={words.explore.previousPages} page={page} direction="backward" />
        <Neighbors title={words.explore.nextPages} page={page} direction="forward" />
      </div>
    </>
  );
}
