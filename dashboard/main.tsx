/** Puts the dashboard on the page, behind whatever has to come first: a password, a login, a site. */
import { render } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Sites } from "./api/types.ts";
import { FirstRunPage, LoginPage, SetupCodePage } from "./login/login.tsx";
import { FirstSitePage } from "./login/first-site.tsx";
import { PRODUCT_NAME } from "./names.ts";
import { Overview } from "./overview.tsx";
import { Failure, Loading } from "./components/states.tsx";
import { askAgain, door, isOffline, knock } from "./state/connection.ts";
import { go, site } from "./state/view.ts";
import { forgetAnswers, usePath } from "./state/use-report.ts";

/** Looked at again after so long, the figures are asked anew. */
const AWAY_MS = 300_000;

function useReturn(): void {
  useEffect(() => {
    let leftMs = performance.now();
    const onChange = () => {
      if (document.visibilityState === "hidden") leftMs = performance.now();
      else if (performance.now() - leftMs > AWAY_MS) askAgain();
    };
    document.addEventListener("visibilitychange", onChange);
    return () => document.removeEventListener("visibilitychange", onChange);
  }, []);
}

/** What is known to be the last site looked at, for who comes without one in the address. */
const LAST_SITE = "sandpiper.site";

function Inside() {
  const figure = usePath<Sites>("/api/sites");
  const [hasSkipped, setSkipped] = useState(false);
  const sites = figure.data?.sites;
  const isKnown = sites !== undefined && site.value !== null;

  useEffect(() => {
    if (sites?.[0] === undefined || site.value !== null) return;
    const last = localStorage.getItem(LAST_SITE);
    go({ site: sites.find((known) => known === last) ?? sites[0] }, true);
  }, [sites, site.value]);

  useEffect(() => {
    if (site.value === null) return;
    localStorage.setItem(LAST_SITE, site.value);
    document.title = `${site.value} · ${PRODUCT_NAME}`;
  }, [site.value]);

  if (figure.error && sites === undefined) {
    return (
      <main class="entrance">
        <Failure figure={figure} />
      </main>
    );
  }
  if (sites === undefined) return <FirstLoading />;
  if (sites.length === 0) {
    if (door.value === "open" && !hasSkipped) return <FirstRunPage onSkip={() => setSkipped(true)} />;
    return (
      <FirstSitePage
        onSite={() => {
          forgetAnswers();
          askAgain();
        }}
      />
    );
  }
  return isKnown ? <Overview sites={sites} /> : <FirstLoading />;
}

const FirstLoading = () => (
  <main class="entrance">{isOffline.value ? <p role="alert">The service cannot be reached. Trying again…</p> : <Loading rows={3} />}</main>
);

function App() {
  useReturn();
  useEffect(() => void knock(), []);
  if (door.value === "unknown") return <FirstLoading />;
  if (door.value === "setup") return <SetupCodePage />;
  if (door.value === "login") return <LoginPage />;
  return <Inside />;
}

const place = document.getElementById("app");
if (place) render(<App />, place);
