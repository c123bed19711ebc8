/** Renders a dashboard, or the page that must come first: setup, login or the first site. */
import { render } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { lazyLater } from "./kit/lazy.tsx";
import { Failure, Loading, OutageBanner } from "./kit/states.tsx";
import { Shore } from "./kit/shore.tsx";
import { showTips } from "./kit/tips.ts";
import { SiteDashboard } from "./page/site-dashboard.tsx";
import { useTabTitle } from "./page/tab-title.ts";
import { arrival } from "./setup/arrival.ts";
import { authState, checkAuth, outage, refreshAll } from "./state/connection.ts";
import { hasSitesPage, knownSites, ownSites, setKnownSites, siteName, useSites } from "./state/known-sites.ts";
import { isGuest } from "./state/share.ts";
import { navigate, remembered } from "./state/url.ts";
import { isSettings, site } from "./state/view.ts";
import { fill, words } from "./words/words.ts";

const GuestPage = lazyLater(async () => (await import("./guest/guest-page.tsx")).GuestPage);

/** A page hidden for longer refreshes its reports when it becomes visible. */
const HIDDEN_MS_MAX = 300_000;

const LoginPage = lazyLater(async () => (await import("./setup/login.tsx")).LoginPage, { Loading: () => <LoadingPage /> });
const SetupCodePage = lazyLater(async () => (await import("./setup/login.tsx")).SetupCodePage, { Loading: () => <LoadingPage /> });
const FirstRunPage = lazyLater<{ readonly onSkip: () => void }>(async () => (await import("./setup/login.tsx")).FirstRunPage, {
  Loading: () => <LoadingPage />,
});
const FirstSitePage = lazyLater(async () => (await import("./setup/waiting.tsx")).FirstSitePage);
const SitesPage = lazyLater<{ readonly sites: readonly string[] }>(async () => (await import("./sites/sites-page.tsx")).SitesPage);

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

function startAllSites(): void {
  const { period } = remembered();
  if (period !== undefined) navigate({ period }, true);
}

/**
 * Opens the only site if the URL names none, with the period and tabs of the last visit. With several sites, the page of all sites starts
 * once with the last period.
 */
function useSite(sites: readonly string[] | undefined): void {
  const hasBegun = useRef(false);
  useEffect(() => {
    if (sites?.[0] === undefined) return;
    if (site.value === null && !hasSitesPage(sites)) navigate({ ...remembered(), site: ownSites(sites)[0] ?? sites[0] }, true);
    else if (site.value === null && !hasBegun.current) startAllSites();
    hasBegun.current = true;
  }, [sites, site.value]);

  useTabTitle(site.value === null ? null : isSettings() ? fill(words.page.settingsTitle, { site: siteName.value }) : siteName.value);
}

const NoService = () => (
  <>
    <Shore scene="resting" />
    <OutageBanner hasNumbers={false} />
  </>
);

const LoadingPage = () => <main class="login">{outage.value === null ? <Loading rows={3} /> : <NoService />}</main>;

/** The dashboard after a login, or of an instance without a password. */
function Home() {
  const report = useSites();
  const [hasSkipped, setSkipped] = useState(false);
  const sites = report.data?.sites;
  // Not the sites before a change, such as a demo site that was just removed.
  useSite(report.isStale ? undefined : sites);
  useEffect(() => {
    if (report.data) setKnownSites(report.data.settings ?? []);
  }, [report.data]);
  if (report.error && sites === undefined) {
    return (
      <main class="login">
        <Failure report={report} />
      </main>
    );
  }
  if (sites === undefined || knownSites.value === null) return <LoadingPage />;
  const isFirstRun = sites.length === 0 && arrival.value === null;
  if (isFirstRun && authState.value === "open" && !hasSkipped) return <FirstRunPage onSkip={() => setSkipped(true)} />;
  // A site without events has a dashboard, too, so that the menu stays when the events of the only site are deleted.
  if (site.value !== null) return <SiteDashboard sites={sites} />;
  if (hasSitesPage(sites)) return <SitesPage sites={sites} />;
  return isFirstRun ? <FirstSitePage /> : <LoadingPage />;
}

function App() {
  useRefreshOnReturn();
  useEffect(() => void checkAuth(), []);
  if (isGuest) return <GuestPage />;
  if (authState.value === "unknown") return <LoadingPage />;
  if (authState.value === "setup_code") return <SetupCodePage />;
  if (authState.value === "logged_out") return <LoginPage />;
  return <Home />;
}

showTips();
const root = document.getElementById("app");
if (root) render(<App />, root);
