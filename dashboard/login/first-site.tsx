/** The first site: its name, its snippet, and a wait that ends with the first event. */
import { useEffect, useState } from "preact/hooks";
import { askFigure, type Figures } from "../api/service.ts";
import { noteFailure } from "../state/connection.ts";
import { go } from "../state/view.ts";
import { EntranceFrame } from "./login.tsx";
import { Snippet } from "./snippet.tsx";

const LOOK_MS = 2000;

/** What the service takes for a site. */
const SITE_ID = /^[A-Za-z0-9.\-_:]{1,256}$/;

/** What people paste. */
const siteIdOf = (typed: string): string =>
  typed
    .trim()
    .replace(/^https?:\/\//i, "")
    .replace(/^www\./i, "")
    .replace(/\/.*$/, "");

export function SiteSnippetForm({ onChange }: { readonly onChange?: (siteId: string | null) => void }) {
  const [typed, setTyped] = useState("");
  const siteId = siteIdOf(typed);
  const isRight = SITE_ID.test(siteId);
  return (
    <>
      <div class="form">
        <label>
          The site's address
          <input
            type="text"
            name="site"
            placeholder="example.com"
            autocomplete="off"
            autocapitalize="none"
            spellcheck={false}
            value={typed}
            onInput={(event) => {
              setTyped(event.currentTarget.value);
              const next = siteIdOf(event.currentTarget.value);
              onChange?.(SITE_ID.test(next) ? next : null);
            }}
          />
        </label>
        {typed !== "" && !isRight && <p class="problem">Letters, digits, dots and hyphens, as in example.com.</p>}
      </div>
      {isRight && (
        <>
          <p>Put this line into the head of every page:</p>
          <Snippet siteId={siteId} />
        </>
      )}
    </>
  );
}

/** Calls back once the site is among those that have events. */
export function useFirstEvent(siteId: string | null, onEvent: (siteId: string) => void): void {
  useEffect(() => {
    const controller = new AbortController();
    const look = () => {
      askFigure<Figures["sites"]>("/api/sites", controller.signal).then(({ sites }) => {
        const found = siteId === null ? sites[0] : sites.find((known) => known === siteId);
        if (found !== undefined) onEvent(found);
      }, noteFailure);
    };
    const timer = setInterval(look, LOOK_MS);
    return () => {
      clearInterval(timer);
      controller.abort();
    };
  }, [siteId]);
}

export const Waiting = () => (
  <p class="waiting" role="status">
    <i class="pulse" aria-hidden="true" /> Waiting for the first event…
  </p>
);

export function FirstSitePage({ onSite }: { readonly onSite: () => void }) {
  const [siteId, setSiteId] = useState<string | null>(null);
  useFirstEvent(siteId, (found) => {
    go({ site: found, period: "day" }, true);
    onSite();
  });
  return (
    <EntranceFrame title="Count your first site">
      <SiteSnippetForm onChange={setSiteId} />
      <Waiting />
      <p class="dim">Publish the page and look at it. This becomes your dashboard as soon as an event arrives.</p>
    </EntranceFrame>
  );
}
