/** Where visitors go from a page and where they come to it from; a click walks on. */
import { RowList } from "../cards/row-list.tsx";
import { Picker } from "../components/picker.tsx";
import { Empty, FigureView } from "../components/states.tsx";
import { go, param, scope } from "../state/view.ts";
import { useFigure } from "../state/use-report.ts";
import { usePageChoices } from "./steps.tsx";

const ROWS = 10;

function Neighbours({
  title,
  page,
  direction,
}: {
  readonly title: string;
  readonly page: string;
  readonly direction: "forward" | "backward";
}) {
  const figure = useFigure("flow", { ...scope.value, page, direction, limit: ROWS });
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      <FigureView figure={figure} rows={5}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty>{direction === "forward" ? "Nobody went on" : "Nobody came from another page"}</Empty>
          ) : (
            <RowList
              label={title}
              rows={rows.map(({ next_page, visitors, share }) => ({
                key: next_page,
                label: next_page,
                count: visitors,
                share,
                unit: "visitors",
                title: `Go on from ${next_page}`,
                onChoose: () => go({ page: next_page }),
              }))}
            />
          )
        }
      </FigureView>
    </section>
  );
}

export function Flow() {
  const choices = usePageChoices();
  const page = param("page") ?? choices[0]?.value ?? "/";
  return (
    <>
      <div class="field wide-field">
        <span class="field-label">Page</span>
        <Picker
          label="Page"
          choices={choices}
          value={page}
          onPick={(picked) => go({ page: picked })}
          choiceOf={(typed) => (/^\/.*\*/.test(typed) ? { value: typed, label: typed, hint: "wildcard" } : null)}
        />
      </div>
      <div class="halves">
        <Neighbours title="Before it" page={page} direction="backward" />
        <Neighbours title="After it" page={page} direction="forward" />
      </div>
    </>
  );
}
