/** The entry: renders the dashboard, or the page that has to come first: setup, login, or adding a site. */
import { render } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Sites } from "./api/types.ts";
import { Failure, Loading, OutageBanner } from "./components/states.tsx";
import { arrival } from "./first-event/arrival.ts";
import { FirstSitePage } from "./login/first-site.tsx";
import { FirstRunPage, LoginPage, SetupCodePage } from "./login/login.tsx";
import { DEMO_SITE, PRODUCT_NAME } from "./names.ts";
import { Overview } from "./overview.tsx";
import { authState, checkAuth, outage, refreshAll } from "./state/connection.ts";
import { remembered } from "./state/remembered.ts";
import { useRequest } from "./state/use-report.ts";
import { navigate } from "./state/url.ts";
import { site } from "./state/view.ts";

/** A page that was hidden for this long refreshes its reports when it is visible again. */
const HIDDEN_MS_MAX = 300_000;

/** The site that was viewed last, for a URL without one. */
const SITE_STORAGE_KEY = "sandpiper.site";

function useRefreshOnReturn(): void {
  useEffect(() => {
    let hiddenAtMs = performance.now();
    const onChange = () => {
      if (document.visibilityState === "hidden") hiddenAtMs = performance.now();
      else if (performance.now() - hiddenAtMs > HIDDEN_MS_MAX) refreshAll();
    };
    document.addEventListener("visibilitychange", onChange);
    return () => document.removeEventListener("visibilitychange", onChange);
  }, []);
}

/** Chooses a site where the URL names none, with the period and tabs of the last visit, and remembers the one it names. */
function useSite(sites: readonly string[] | undefined): void {
  useEffect(() => {
    if (sites?.[0] === undefined || site.value !== null) return;
    const stored = localStorage.getItem(SITE_STORAGE_KEY);
    const own = sites.find((known) => known !== DEMO_SITE);
    navigate({ ...remembered(), site: sites.find((known) => known === stored) ?? own ?? sites[0] }, true);
  }, [sites, site.value]);

  useEffect(() => {
    if (site.value === null) return;
    localStorage.setItem(SITE_STORAGE_KEY, site.value);
    document.title = `${site.value} · ${PRODUCT_NAME}`;
  }, [site.value]);
}

const LoadingPage = () => <main class="login">{outage.value === null ? <Loading rows={3} /> : <OutageBanner />}</main>;

/** The dashboard for a logged-in user, or on an instance without a password. */
function Home() {
  const report = useRequest<Sites>("/api/sites");
  const [hasSkipped, setSkipped] = useState(false);
  const sites = report.data?.sites;
  // Not the sites before a change, such as a demo site that was just removed.
  useSite(report.isStale ? undefined : sites);
  if (report.error && sites === undefined) {
    return (
      <main class="login">
        <Failure report={report} />
      </main>
    );
  }
  if (sites === undefined) return <LoadingPage />;
  const isFirstRun = sites.length === 0 && arrival.value === null;
  if (isFirstRun && authState.value === "open" && !hasSkipped) return <FirstRunPage onSkip={() => setSkipped(true)} />;
  // A site without events has a dashboard, too, so that the menu stays when the events of the only site are deleted.
  if (site.value !== null) return <Overview sites={sites} />;
  return isFirstRun ? <FirstSitePage /> : <LoadingPage />;
}

function App() {
  useRefreshOnReturn();
  useEffect(() => void checkAuth(), []);
  if (authState.value === "unknown") return <LoadingPage />;
  if (authState.value === "setup_code") return <SetupCodePage />;
  if (authState.value === "logged_out") return <LoginPage />;
  return <Home />;
}

const root = document.getElementById("app");
if (root) render(<App />, root);
