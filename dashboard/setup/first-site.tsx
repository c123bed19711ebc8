/** The first site: its tracking code, and the dashboard as soon as its first event arrives. */
import { useState } from "preact/hooks";
import type { Sites } from "../api/types.ts";
import { AddSite } from "./add-site.tsx";
import { openArrivedSite } from "./arrival.ts";
import { AWAITING } from "./awaiting.ts";
import { WaitingLine } from "./waiting.tsx";
import { DEMO_SITE } from "../names.ts";
import { usePolling } from "../state/use-polling.ts";
import { ExploreDemo } from "./demo-site.tsx";
import { LoginFrame } from "./login-frame.tsx";

/** Until a domain is entered, the first event of any site opens its dashboard. */
function AnySite() {
  usePolling<Sites>("/api/sites", AWAITING, ({ sites }) => {
    const first = sites.find((known) => known !== DEMO_SITE);
    if (first !== undefined) openArrivedSite(first);
  });
  return <WaitingLine />;
}

export function FirstSitePage() {
  const [siteId, setSiteId] = useState<string | null>(null);
  return (
    <LoginFrame title="Add your first site">
      <AddSite onChange={setSiteId} />
      {siteId === null && <AnySite />}
      <p class="dim">Deploy, then visit your site. Your dashboard opens automatically.</p>
      <ExploreDemo />
    </LoginFrame>
  );
}
