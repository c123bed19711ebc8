/** A site's settings page. The URL names the section. */
import type { ComponentType } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { settingsPath, type SavedSettings } from "../api/endpoints.ts";
import { Button } from "../kit/inline.tsx";
import { onPlainClick } from "../kit/pointing.ts";
import { Failure, Loading } from "../kit/states.tsx";
import { authState } from "../state/connection.ts";
import { siteName } from "../state/known-sites.ts";
import { useRequest } from "../state/requests.ts";
import { hrefAfter, navigate, param } from "../state/url.ts";
import { ACCOUNT_SECTION, closeSettings, openPanel, site } from "../state/view.ts";
import { fill, words } from "../words/words.ts";
import { AccountSection } from "./account.tsx";
import { DataSection } from "./data.tsx";
import { ExclusionsSection } from "./exclusions.tsx";
import { GeneralSection } from "./general.tsx";
import { GoalsSection } from "./goals.tsx";
import { PagesSection } from "./pages.tsx";
import { savedSettings, setSaved } from "./settings-form.tsx";
import { SharingSection } from "./sharing.tsx";
import { SourcesSection } from "./sources.tsx";

interface Section {
  readonly id: string;
  readonly label: string;
  readonly Content: ComponentType<{ readonly siteId: string }>;
}

/** The first is the default. */
const SECTIONS: readonly [Section, ...Section[]] = [
  { id: "general", label: words.settings.general, Content: GeneralSection },
  { id: "goals", label: words.settings.goals, Content: GoalsSection },
  { id: "pages", label: words.settings.pages, Content: PagesSection },
  { id: "sources", label: words.settings.sources, Content: SourcesSection },
  { id: "privacy", label: words.settings.privacy, Content: ExclusionsSection },
  { id: "data", label: words.settings.data, Content: DataSection },
  { id: "sharing", label: words.settings.sharing, Content: SharingSection },
  { id: ACCOUNT_SECTION, label: words.page.account, Content: AccountSection },
];

const shownSection = (): Section => SECTIONS.find(({ id }) => id === param("section")) ?? SECTIONS[0];

function Sections({ siteId }: { readonly siteId: string }) {
  const report = useRequest<SavedSettings>(settingsPath(siteId));
  useEffect(() => {
    if (report.data && !report.isStale) setSaved(report.data);
  }, [report.data, report.isStale]);
  const { Content } = shownSection();
  if (savedSettings(siteId)) return <Content siteId={siteId} />;
  return <section class="panel">{report.error ? <Failure report={report} /> : <Loading rows={5} />}</section>;
}

export function SettingsPage() {
  const siteId = site.value ?? "";
  const title = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => title.current?.focus(), []);
  return (
    <div class="settings">
      <header class="settings-head">
        <h1 ref={title} tabIndex={-1}>
          {fill(words.settings.title, { site: siteName.value })}
        </h1>
        <Button onClick={closeSettings}>{words.settings.back}</Button>
      </header>
      <nav class="settings-nav" aria-label={words.settings.nav}>
        {SECTIONS.map(({ id, label }) => {
          const changes = { section: id === SECTIONS[0].id ? null : id };
          const current = shownSection().id === id ? "page" : undefined;
          return (
            <a key={id} href={hrefAfter(changes)} aria-current={current} onClick={onPlainClick(() => navigate(changes))}>
              {label}
            </a>
          );
        })}
      </nav>
      <div class="settings-content">
        {authState.value === "logged_in" ? (
          <Sections key={siteId} siteId={siteId} />
        ) : (
          <section class="panel">
            <p>{words.settings.passwordNeeded}</p>
            <button type="button" class="button primary" onClick={() => openPanel("password")}>
              {words.settings.setPassword}
            </button>
          </section>
        )}
      </div>
    </div>
  );
}
