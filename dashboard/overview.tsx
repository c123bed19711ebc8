/** The dashboard of a site: the bar, notices, filters, the view of the site, and the open dialog. */
import { useEffect, useRef } from "preact/hooks";
import { Dialog } from "./components/dialog.tsx";
import { keepFocus } from "./components/kept-focus.ts";
import { lazy, NotLoaded } from "./components/lazy.tsx";
import { AwaitedSite } from "./first-event/awaited-site.tsx";
import { FirstVisitor } from "./first-event/first-visitor.tsx";
import { DemoNotice } from "./login/demo-site.tsx";
import { OpenInstanceNotice } from "./login/open-instance-notice.tsx";
import { formatRange } from "./format/locale.ts";
import { FilterPills } from "./shell/filters.tsx";
import { useKeyboard } from "./shell/keyboard.ts";
import { TopBar } from "./shell/top-bar.tsx";
import { SiteView } from "./site-view.tsx";
import { range } from "./state/period.ts";
import { closePanel, openPanel, panel, site } from "./state/view.ts";

const FailedPanel = () => (
  <Dialog title="Something went wrong" onClose={closePanel}>
    <NotLoaded />
  </Dialog>
);

const OpenPanel = lazy(async () => (await import("./panels.tsx")).OpenPanel, FailedPanel);

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
        <h1 class="unseen">
          Stats of {site.value}, {formatRange(range.value.start, range.value.end)}
        </h1>
        <OpenInstanceNotice />
        <FirstVisitor />
        <AwaitedSite />
        <DemoNotice sites={sites} />
        <FilterPills />
        <SiteView sites={sites} />
        <footer class="page-foot">
          <span>All times are in UTC.</span>
          <button type="button" class="link" onClick={() => openPanel("help")}>
            Shortcuts and definitions
          </button>
        </footer>
      </main>
      {panel.value !== null && <OpenPanel />}
    </>
  );
}
