/** The dashboard of a site: the bar, notices, filters, the view of the site, and the open dialog. */
import { useEffect, useRef } from "preact/hooks";
import { keepFocus } from "./components/kept-focus.ts";
import { lazy } from "./components/lazy.tsx";
import { AwaitedSite } from "./first-event/awaited-site.tsx";
import { FirstVisitor } from "./first-event/first-visitor.tsx";
import { DemoNotice } from "./login/demo-site.tsx";
import { OpenInstanceNotice } from "./login/open-instance-notice.tsx";
import { formatRange } from "./format/locale.ts";
import { OpenPanel } from "./open-panel.tsx";
import { loadStyle as loadSettingsStyle } from "./settings/site/style.ts";
import { FilterPills } from "./shell/filters.tsx";
import { useKeyboard } from "./shell/keyboard.ts";
import { TopBar } from "./shell/top-bar.tsx";
import { SiteView } from "./site-view.tsx";
import { siteName, timeZone } from "./state/known-sites.ts";
import { range } from "./state/period.ts";
import { isSettings, openPanel } from "./state/view.ts";

const SettingsPage = lazy(async () => {
  const [{ SettingsPage: Page }] = await Promise.all([import("./settings/site/settings-page.tsx"), loadSettingsStyle()]);
  return Page;
});

const Stats = ({ sites }: { readonly sites: readonly string[] }) => (
  <>
    <h1 class="unseen">
      Stats of {siteName.value}, {formatRange(range.value.start, range.value.end)}
    </h1>
    <OpenInstanceNotice />
    <FirstVisitor />
    <AwaitedSite />
    <DemoNotice sites={sites} />
    <FilterPills />
    <SiteView sites={sites} />
    <footer class="page-foot">
      <span>All times are in {timeZone.value}.</span>
      <button type="button" class="link" onClick={() => openPanel("help")}>
        Shortcuts and definitions
      </button>
    </footer>
  </>
);

export function Overview({ sites }: { readonly sites: readonly string[] }) {
  const content = useRef<HTMLElement>(null);
  useKeyboard(sites);
  useEffect(() => (content.current ? keepFocus(content.current) : undefined), []);
  return (
    <>
      <a class="skip" href="#content">
        Skip to content
      </a>
      <TopBar sites={sites} />
      <main id="content" ref={content} class="content" tabIndex={-1}>
        {isSettings() ? <SettingsPage /> : <Stats sites={sites} />}
      </main>
      <OpenPanel />
    </>
  );
}
