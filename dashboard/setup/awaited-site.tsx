/** A site whose dialog was closed before its first event: awaited further, and offered once the event has come. */
import { signal } from "@preact/signals";
import { useState } from "preact/hooks";
import { urlOf } from "../api/http.ts";
import type { Installation } from "../api/types.ts";
import { refreshAll } from "../state/connection.ts";
import { site } from "../state/view.ts";
import { openArrivedSite } from "./arrival.ts";
import { AWAITING } from "./awaiting.ts";
import { usePolling } from "../state/use-polling.ts";

/** Null for none. */
export const awaitedSite = signal<string | null>(null);

function Notice({ siteId }: { readonly siteId: string }) {
  const [hasEvents, setHasEvents] = useState(false);
  usePolling<Installation>(hasEvents ? null : urlOf("/api/installation", { site_id: siteId }), AWAITING, (installation) => {
    if (!installation.has_events) return;
    setHasEvents(true);
    // The site switcher offers it, too.
    refreshAll();
  });
  return (
    <div role="status">
      {hasEvents && (
        <p class="notice">
          The first event of <strong>{siteId}</strong> has arrived.{" "}
          <button type="button" class="link" onClick={() => openArrivedSite(siteId)}>
            Open that site
          </button>
        </p>
      )}
    </div>
  );
}

export const AwaitedSite = () =>
  awaitedSite.value === null || awaitedSite.value === site.value ? null : <Notice key={awaitedSite.value} siteId={awaitedSite.value} />;
