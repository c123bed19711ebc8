/** Shared by the dashboards of owners and guests: skip link, shortcuts, focus, title, footer and dialogs. */
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { formatRange } from "../format/locale.ts";
import { FailedPanel } from "../kit/dialog.tsx";
import { LinkButton } from "../kit/inline.tsx";
import { keepFocus, useFocusOnArrival } from "../kit/kept-focus.ts";
import { lazyLater } from "../kit/lazy.tsx";
import { watchPrinting } from "../kit/printing.ts";
import { ReadingStatus } from "../kit/states.tsx";
import { ToastPlace } from "../kit/toast.tsx";
import { siteName, timeZone } from "../state/known-sites.ts";
import { range } from "../state/period.ts";
import { openPanel, panel } from "../state/view.ts";
import { fill, words } from "../words/words.ts";
import { useSiteShortcuts } from "./keyboard.ts";

const LoadedPanel = lazyLater(async () => (await import("./panels.tsx")).OpenPanel, { Failed: FailedPanel });

export const OpenPanel = () => (panel.value === null ? null : <LoadedPanel />);

/** Hidden: the bar shows it. */
export const StatsTitle = () => (
  <h1 class="unseen">{fill(words.page.statsFor, { site: siteName.value, dates: formatRange(range.value.start, range.value.end) })}</h1>
);

export const StatsFoot = () => (
  <footer class="page-foot">
    <span>{fill(words.page.timesIn, { zone: timeZone.value })}</span>
    <LinkButton onClick={() => openPanel("help")}>{words.page.shortcuts}</LinkButton>
  </footer>
);

interface PageLayoutProps {
  /** Sites that number keys open. */
  readonly sites: readonly string[];
  readonly bar: ComponentChildren;
  readonly children: ComponentChildren;
}

export function PageLayout({ sites, bar, children }: PageLayoutProps) {
  const content = useRef<HTMLElement>(null);
  useSiteShortcuts(sites);
  useFocusOnArrival(content);
  useEffect(() => (content.current ? keepFocus(content.current) : undefined), []);
  useEffect(watchPrinting, []);
  return (
    <>
      <a class="skip" href="#content">
        {words.page.skip}
      </a>
      {bar}
      <ReadingStatus />
      <main id="content" ref={content} class="content" tabIndex={-1}>
        {children}
        <ToastPlace />
      </main>
      <OpenPanel />
    </>
  );
}
