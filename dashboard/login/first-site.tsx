/** The first site: its tracking code, and the dashboard as soon as its first event arrives. */
import { useEffect, useState } from "preact/hooks";
import { fetchReport } from "../api/reports.ts";
import type { Sites } from "../api/types.ts";
import { InstallationDialog } from "../installation/installation-dialog.tsx";
import { NewSiteForm, Snippet } from "../settings/tracking-code.tsx";
import { handleFailure } from "../state/connection.ts";
import { navigate, openPanel } from "../state/view.ts";
import { LoginFrame } from "./login.tsx";

const POLL_MS = 2000;

/** Polls the list of sites until it has the site, or any while `siteId` is null. */
function useFirstEvent(siteId: string | null, onEvent: (siteId: string) => void): void {
  useEffect(() => {
    const controller = new AbortController();
    const poll = () => {
      fetchReport<Sites>("/api/sites", controller.signal).then(({ sites }) => {
        const found = siteId === null ? sites[0] : sites.find((known) => known === siteId);
        if (found !== undefined) onEvent(found);
      }, handleFailure);
    };
    const timer = setInterval(poll, POLL_MS);
    return () => {
      clearInterval(timer);
      controller.abort();
    };
  }, [siteId]);
}

const Waiting = () => (
  <p class="waiting" role="status">
    <i class="pulse" aria-hidden="true" /> Waiting for the first event…
  </p>
);

const CheckLink = ({ onClick }: { readonly onClick: () => void }) => (
  <p>
    No events yet?{" "}
    <button type="button" class="link" onClick={onClick}>
      Check the installation
    </button>
  </p>
);

/** In the dashboard of a site that has no events. */
export const NoEventsNotice = ({ siteId }: { readonly siteId: string }) => (
  <section class="panel">
    <Waiting />
    <Snippet siteId={siteId} />
    <CheckLink onClick={() => openPanel("installation")} />
  </section>
);

export function FirstSitePage({ onSite }: { readonly onSite: () => void }) {
  const [siteId, setSiteId] = useState<string | null>(null);
  const [isChecking, setChecking] = useState(false);
  useFirstEvent(siteId, (found) => {
    navigate({ site: found, period: "day" }, true);
    onSite();
  });
  return (
    <LoginFrame title="Add your first site">
      <NewSiteForm onChange={setSiteId} />
      <Waiting />
      <p class="dim">Deploy, then visit your site. Your dashboard opens automatically.</p>
      {siteId !== null && <CheckLink onClick={() => setChecking(true)} />}
      {siteId !== null && isChecking && <InstallationDialog siteId={siteId} onClose={() => setChecking(false)} />}
    </LoginFrame>
  );
}
