/** The dialog that checks a site's installation: the service's findings, this browser, and on request the page itself. */
import { useEffect, useState } from "preact/hooks";
import { PRODUCT_NAME } from "../../src/shared/names.ts";
import { scriptUrl } from "../api/addresses.ts";
import { checkPage, getInstallation } from "../api/endpoints.ts";
import { ServiceError, type FailureKind } from "../api/http.ts";
import { Dialog } from "../kit/dialog.tsx";
import { Form } from "../kit/forms.tsx";
import { LinkButton, Marked } from "../kit/inline.tsx";
import { Loading, Problem } from "../kit/states.tsx";
import { authState } from "../state/connection.ts";
import { timeZone } from "../state/known-sites.ts";
import { useAction } from "../state/requests.ts";
import { closePanel, openPanel, site } from "../state/view.ts";
import { fill, words } from "../words/words.ts";
import { addressChecks, browserChecks, browserFacts, eventChecks, pageChecks } from "./checks.ts";
import { isLocalSite } from "./platforms.ts";
import type { Check } from "./service-findings.ts";

const VERDICTS: Readonly<Record<Check["verdict"], readonly [mark: string, word: string]>> = {
  ok: ["✓", words.setup.ok],
  problem: ["✗", words.setup.problem],
  note: ["i", words.setup.note],
};

export const CheckList = ({ label, checks }: { readonly label: string; readonly checks: readonly Check[] }) => (
  <ul class="checks" aria-label={label}>
    {checks.map(({ verdict, finding, advice }) => (
      <li key={finding} class="check" data-verdict={verdict}>
        <span class="check-mark" aria-hidden="true">
          {VERDICTS[verdict][0]}
        </span>
        <div>
          <p>
            <span class="unseen">{VERDICTS[verdict][1]}: </span>
            <Marked text={finding} />
          </p>
          {advice !== undefined && (
            <p class="dim">
              <Marked text={advice} />
            </p>
          )}
        </div>
      </li>
    ))}
  </ul>
);

const PROBLEMS: Readonly<Partial<Record<FailureKind, string>>> = {
  offline: words.api.unreachable,
  timeout: words.setup.tooLong,
  busy: words.setup.checkedJustNow,
};

/** Keeps the last checks while new ones run. `invalid` is the message for input that the service rejects. */
function useChecks(invalid: string, find: () => Promise<readonly Check[]>) {
  const [checks, setChecks] = useState<readonly Check[] | null>(null);
  const { isBusy, problem, run } = useAction((error) => {
    setChecks(null);
    const kind = error instanceof ServiceError ? error.kind : "failed";
    return kind === "invalid" ? invalid : (PROBLEMS[kind] ?? words.setup.wentWrong);
  });
  return { checks, isBusy, problem, run: () => run(async () => setChecks(await find())) };
}

async function siteChecks(siteId: string): Promise<readonly Check[]> {
  const [installation, facts] = await Promise.all([getInstallation(siteId), browserFacts(siteId, scriptUrl())]);
  return [...eventChecks(siteId, installation, timeZone.value), ...addressChecks(siteId, scriptUrl()), ...browserChecks(facts)];
}

function SiteSection({ siteId }: { readonly siteId: string }) {
  const { checks, isBusy, problem, run } = useChecks(words.setup.notASite, () => siteChecks(siteId));
  useEffect(() => void run(), [siteId]);
  return (
    <section aria-label={fill(words.setup.checksOf, { site: siteId })}>
      <div role="status" aria-busy={isBusy}>
        {checks === null && problem === null ? (
          <Loading rows={4} />
        ) : (
          <CheckList label={words.setup.siteAndBrowser} checks={checks ?? []} />
        )}
      </div>
      <Problem text={problem} />
      <button type="button" class="button" aria-disabled={isBusy} onClick={() => void (isBusy || run())}>
        {words.setup.checkAgain}
      </button>
    </section>
  );
}

function PageForm({ siteId }: { readonly siteId: string }) {
  const [url, setUrl] = useState(`https://${siteId}/`);
  const { checks, isBusy, problem, run } = useChecks(fill(words.setup.enterPage, { site: siteId }), async () =>
    pageChecks(siteId, scriptUrl(), await checkPage(siteId, url, scriptUrl())),
  );
  return (
    <Form onSubmit={() => void (isBusy || run())}>
      <label>
        {words.setup.page}
        <input type="url" name="url" required value={url} onInput={(event) => setUrl(event.currentTarget.value)} />
      </label>
      <p class="dim">{fill(words.setup.fetchesOnce, { product: PRODUCT_NAME })}</p>
      <button type="submit" class="button" aria-disabled={isBusy}>
        {isBusy ? words.setup.checking : words.setup.checkPage}
      </button>
      <div role="status">{checks && <CheckList label={words.setup.yourPage} checks={checks} />}</div>
      <Problem text={problem} />
    </Form>
  );
}

function PageSection({ siteId }: { readonly siteId: string }) {
  if (isLocalSite(siteId)) return <p>{words.setup.onlyPublic}</p>;
  if (authState.value === "logged_in") return <PageForm siteId={siteId} />;
  return (
    <p>
      {words.setup.passwordNeeded}{" "}
      {site.value !== null && <LinkButton onClick={() => openPanel("password")}>{words.setup.setPassword}</LinkButton>}
    </p>
  );
}

export const InstallationDialog = ({ siteId, onClose }: { readonly siteId: string; readonly onClose: () => void }) => (
  <Dialog title={words.setup.check} onClose={onClose}>
    <h3>{siteId}</h3>
    <SiteSection siteId={siteId} />
    <h3>{words.setup.yourPage}</h3>
    <PageSection siteId={siteId} />
  </Dialog>
);

export const InstallationPanel = () => (site.value === null ? null : <InstallationDialog siteId={site.value} onClose={closePanel} />);
