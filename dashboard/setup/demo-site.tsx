/** The demo site: the offer to make it on the first pages, and the notice that marks it and removes it. */
import { makeDemo, removeDemo } from "../api/admin.ts";
import { problemText } from "../api/http.ts";
import { Problem } from "../kit/states.tsx";
import { DEMO_SITE } from "../names.ts";
import { refreshAll } from "../state/connection.ts";
import { useAction } from "../state/use-action.ts";
import { clearReportCache } from "../state/use-report.ts";
import { isRealtime, openSite, site } from "../state/view.ts";

/** Runs the change, and then loads the list of sites and all reports again. */
function useChange(change: () => Promise<unknown>, onDone: () => void) {
  const { isBusy, problem, run } = useAction(problemText);
  const changeAndReload = async () => {
    await change();
    clearReportCache();
    onDone();
    refreshAll();
  };
  return { isBusy, problem, run: () => void run(changeAndReload) };
}

export function ExploreDemo() {
  const { isBusy, problem, run } = useChange(makeDemo, () => openSite(DEMO_SITE, {}, true));
  return (
    <div class="explore-demo">
      {isBusy ? (
        <p class="dim" role="status">
          Creating a year of made-up visits…
        </p>
      ) : (
        <button type="button" class="link" onClick={run}>
          Explore a demo site
        </button>
      )}
      <Problem text={problem} />
    </div>
  );
}

/** Without another site, the first page follows. */
function leaveDemo(sites: readonly string[]): void {
  openSite(sites.find((id) => id !== DEMO_SITE) ?? null);
  document.getElementById("content")?.focus();
}

export function DemoNotice({ sites }: { readonly sites: readonly string[] }) {
  const { isBusy, problem, run } = useChange(removeDemo, () => leaveDemo(sites));
  if (site.value !== DEMO_SITE || !sites.includes(DEMO_SITE)) return null;
  return (
    <div class="notice demo-notice">
      <p>
        Demo data: this site is made up.{isRealtime() && " No new visits arrive, so realtime is empty half an hour after it was made."}{" "}
        <button type="button" class="link" disabled={isBusy} onClick={run}>
          {isBusy ? "Removing…" : "Remove it"}
        </button>
      </p>
      <Problem text={problem} />
    </div>
  );
}
