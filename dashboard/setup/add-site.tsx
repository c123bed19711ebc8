/** Adds a site: its domain, its tracking code, the wait for its first event. The first site has its own page. */
import { useEffect, useRef, useState } from "preact/hooks";
import { DEMO_SITE } from "../../src/shared/names.ts";
import type { Sites } from "../api/types.ts";
import { Dialog } from "../kit/dialog.tsx";
import { Button } from "../kit/inline.tsx";
import { useSites } from "../state/known-sites.ts";
import { usePolling } from "../state/requests.ts";
import { closePanel, openSite } from "../state/view.ts";
import { awaitedSite, AWAITING, openArrivedSite } from "./arrival.tsx";
import { LoginFrame } from "./login.tsx";
import { ExploreDemo } from "./notices.tsx";
import { siteIdFrom } from "./site-id.ts";
import { Snippet } from "./tracking-code.tsx";
import { Waiting, WaitingLine } from "./waiting.tsx";

interface DomainFieldProps {
  readonly value: string;
  readonly problem: string | null;
  readonly onInput: (value: string) => void;
}

function DomainField({ value, problem, onInput }: DomainFieldProps) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);
  return (
    <div class="form">
      <label>
        Domain
        <input
          ref={input}
          type="text"
          name="site"
          inputMode="url"
          placeholder="example.com"
          autofocus
          autocomplete="off"
          autocapitalize="none"
          spellcheck={false}
          aria-invalid={problem !== null}
          aria-describedby="domain-problem"
          value={value}
          onInput={(event) => onInput(event.currentTarget.value)}
        />
      </label>
      <p class="problem" id="domain-problem">
        {problem}
      </p>
    </div>
  );
}

/** Shown if the name differs from the typed domain, e.g. one with an umlaut. */
const CanonicalName = ({ typed, siteId }: { readonly typed: string; readonly siteId: string }) =>
  typed.trim() === siteId ? null : (
    <p class="dim">
      The site's name is <code>{siteId}</code>.
    </p>
  );

/** `onChange` receives the site id while the domain is valid, else null. */
function AddSite({ onChange }: { readonly onChange?: (siteId: string | null) => void }) {
  const [typed, setTyped] = useState("");
  const siteId = siteIdFrom(typed);
  return (
    <>
      <DomainField
        value={typed}
        problem={typed !== "" && siteId === null ? "Enter a domain like example.com" : null}
        onInput={(value) => {
          setTyped(value);
          onChange?.(siteIdFrom(value));
        }}
      />
      {siteId !== null && (
        <>
          <CanonicalName typed={typed} siteId={siteId} />
          <Snippet siteId={siteId} />
          <Waiting siteId={siteId} />
        </>
      )}
    </>
  );
}

export function AddSitePanel() {
  const [siteId, setSiteId] = useState<string | null>(null);
  const sites = useSites().data?.sites;
  const newSite = useRef<string | null>(null);
  newSite.current = siteId === null || sites?.includes(siteId) !== false ? null : siteId;
  useEffect(
    () => () => {
      awaitedSite.value = newSite.current;
    },
    [],
  );
  return (
    <Dialog title="Add a site" onClose={closePanel}>
      <AddSite onChange={setSiteId} />
      <p class="dim">Deploy, then visit your site. Its dashboard opens with the first event.</p>
      {siteId !== null && <Button onClick={() => openSite(siteId)}>Open its dashboard</Button>}
    </Dialog>
  );
}

/** The first event of any site opens its dashboard until a domain is entered. */
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
