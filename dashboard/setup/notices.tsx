/** Notices above the stats: no password, and demo site. */
import { DEMO_SITE } from "../../src/shared/names.ts";
import { makeDemo, removeDemo } from "../api/endpoints.ts";
import { problemText } from "../api/http.ts";
import { LinkButton } from "../kit/inline.tsx";
import { Problem } from "../kit/states.tsx";
import { authState } from "../state/connection.ts";
import { reloadAll, useAction } from "../state/requests.ts";
import { openPanel, openSite, site } from "../state/view.ts";
import { rich, words } from "../words/words.ts";

export const OpenInstanceNotice = () =>
  authState.value === "open" ? (
    <p class="notice">
      {rich(words.notices.open, { set: (text) => <LinkButton onClick={() => openPanel("password")}>{text}</LinkButton> })}
    </p>
  ) : null;

/** Reloads the list of sites and all reports after the change. */
function useChange(change: () => Promise<unknown>, onDone: () => void) {
  const { isBusy, problem, run } = useAction(problemText);
  const changeAndReload = async () => {
    await change();
    onDone();
    reloadAll();
  };
  return { isBusy, problem, run: () => void run(changeAndReload) };
}

export function ExploreDemo() {
  const { isBusy, problem, run } = useChange(makeDemo, () => openSite(DEMO_SITE, {}, true));
  return (
    <div class="explore-demo">
      {isBusy ? (
        <p class="dim" role="status">
          {words.notices.creatingDemo}
        </p>
      ) : (
        <LinkButton onClick={run}>{words.notices.exploreDemo}</LinkButton>
      )}
      <Problem text={problem} />
    </div>
  );
}

export function DemoNotice({ sites }: { readonly sites: readonly string[] }) {
  const { isBusy, problem, run } = useChange(removeDemo, () => {
    // The first page if there is no other site.
    openSite(sites.find((id) => id !== DEMO_SITE) ?? null);
    document.getElementById("content")?.focus();
  });
  if (site.value !== DEMO_SITE || !sites.includes(DEMO_SITE)) return null;
  return (
    <div class="notice demo-notice">
      <p>
        {words.notices.demo}{" "}
        <button type="button" class="link" disabled={isBusy} onClick={run}>
          {isBusy ? words.notices.removingDemo : words.notices.removeDemo}
        </button>
      </p>
      <Problem text={problem} />
    </div>
  );
}
