/** The dialog that checks a site's installation: the service's findings, this browser, and on request the page itself. */
import { useEffect, useState } from "preact/hooks";
import { PRODUCT_NAME } from "../../src/shared/names.ts";
import { scriptUrl } from "../api/addresses.ts";
import { checkPage, getInstallation, getSettings, putSettings } from "../api/endpoints.ts";
import { problemText, ServiceError, type FailureKind } from "../api/http.ts";
import type { Installation } from "../api/types.ts";
import { countOf, formatTimestamp } from "../format/locale.ts";
import { Dialog } from "../kit/dialog.tsx";
import { Form } from "../kit/forms.tsx";
import { INLINE, LinkButton, Marked } from "../kit/inline.tsx";
import { Loading, Problem } from "../kit/states.tsx";
import { authState } from "../state/connection.ts";
import { timeZone } from "../state/known-sites.ts";
import { useAction } from "../state/requests.ts";
import { closePanel, openPanel, site } from "../state/view.ts";
import { fill, rich, words } from "../words/words.ts";
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

/** Keeps what was found last while it is looked for again. `invalid` is the message for input that the service rejects. */
function useFindings<Found>(invalid: string, find: () => Promise<Found>) {
  const [found, setFound] = useState<Found | null>(null);
  const { isBusy, problem, run } = useAction((error) => {
    setFound(null);
    const kind = error instanceof ServiceError ? error.kind : "failed";
    return kind === "invalid" ? invalid : (PROBLEMS[kind] ?? words.setup.wentWrong);
  });
  return { found, isBusy, problem, run: () => run(async () => setFound(await find())) };
}

type UnknownAliases = Installation["unknown_aliases"];

interface SiteFindings {
  readonly checks: readonly Check[];
  readonly unknownAliases: UnknownAliases;
}

async function findingsOf(siteId: string): Promise<SiteFindings> {
  const [installation, facts] = await Promise.all([getInstallation(siteId), browserFacts(siteId, scriptUrl())]);
  const ofEvents = eventChecks(siteId, installation, timeZone.value);
  return {
    checks: [...ofEvents, ...addressChecks(siteId, scriptUrl()), ...browserChecks(facts)],
    unknownAliases: installation.unknown_aliases,
  };
}

async function addAlias(siteId: string, name: string): Promise<void> {
  const settings = await getSettings(siteId);
  await putSettings(siteId, { ...settings, aliases: [...settings.aliases, name] });
}

const PasswordLink = () => (
  <>{site.value !== null && <LinkButton onClick={() => openPanel("password")}>{words.setup.setPassword}</LinkButton>}</>
);

interface UnknownTagsProps {
  readonly siteId: string;
  readonly aliases: UnknownAliases;
}

/** Ids in other products' tags that no site has, each with a button that makes it an alias of this one. */
function UnknownTags({ siteId, aliases }: UnknownTagsProps) {
  const [added, setAdded] = useState<readonly string[]>([]);
  const { isBusy, problem, run } = useAction(problemText);
  const isOwner = authState.value === "logged_in";
  if (aliases.length === 0) return null;
  const add = (name: string) =>
    run(async () => {
      await addAlias(siteId, name);
      setAdded((names) => [...names, name]);
    });
  return (
    <>
      <p id="unknown-tags">{fill(words.setup.unknownTags, { site: siteId })}</p>
      <ul class="checks" aria-labelledby="unknown-tags">
        {aliases.map(({ name, count, latest_at: latest }) => (
          <li key={name} class="check" data-verdict={added.includes(name) ? "ok" : "note"}>
            <span class="check-mark" aria-hidden="true">
              {VERDICTS[added.includes(name) ? "ok" : "note"][0]}
            </span>
            <div>
              <p>
                <code>{name}</code>
              </p>
              <p class="dim">{countOf(count, words.setup.tagRequests).replace("{latest}", formatTimestamp(latest, timeZone.value))}</p>
              {/* Stays focusable once it is done. */}
              {isOwner && (
                <LinkButton onClick={() => void (isBusy || added.includes(name) || add(name))}>
                  {rich(added.includes(name) ? words.setup.countsHere : words.setup.countHere, { ...INLINE, id: name })}
                </LinkButton>
              )}
            </div>
          </li>
        ))}
      </ul>
      <Problem text={problem} />
      <p class="dim">
        {isOwner ? words.setup.countedFromNow : words.setup.tagsNeedPassword} {!isOwner && <PasswordLink />}
      </p>
    </>
  );
}

function SiteSection({ siteId }: { readonly siteId: string }) {
  const { found, isBusy, problem, run } = useFindings(words.setup.notASite, () => findingsOf(siteId));
  useEffect(() => void run(), [siteId]);
  return (
    <section aria-label={fill(words.setup.checksOf, { site: siteId })}>
      <div role="status" aria-busy={isBusy}>
        {found === null && problem === null ? (
          <Loading rows={4} />
        ) : (
          <CheckList label={words.setup.siteAndBrowser} checks={found?.checks ?? []} />
        )}
      </div>
      {found && <UnknownTags siteId={siteId} aliases={found.unknownAliases} />}
      <Problem text={problem} />
      <button type="button" class="button" aria-disabled={isBusy} onClick={() => void (isBusy || run())}>
        {words.setup.checkAgain}
      </button>
    </section>
  );
}

function PageForm({ siteId }: { readonly siteId: string }) {
  const [url, setUrl] = useState(`https://${siteId}/`);
  const { found, isBusy, problem, run } = useFindings(fill(words.setup.enterPage, { site: siteId }), async () =>
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
      <div role="status">{found && <CheckList label={words.setup.yourPage} checks={found} />}</div>
      <Problem text={problem} />
    </Form>
  );
}

function PageSection({ siteId }: { readonly siteId: string }) {
  if (isLocalSite(siteId)) return <p>{words.setup.onlyPublic}</p>;
  if (authState.value === "logged_in") return <PageForm siteId={siteId} />;
  return (
    <p>
      {words.setup.passwordNeeded} <PasswordLink />
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
