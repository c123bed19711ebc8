/** Observes pageviews and clicks on links, from the moment the page is visible. */
import { PAGEVIEW, FILE_DOWNLOAD, OUTBOUND_CLICK } from "./names.ts";
import { pageUrl, attempt, documentProperty } from "./page.ts";
import { type Track, createTrack } from "./event.ts";
import type { Settings } from "./settings.ts";

/** Records the first view of a page, a navigation within it, and its return from the back/forward cache. */
const trackPageviews = (track: Track, hash: boolean): void => {
  let lastUrl: string;

  const view = (): void => {
    lastUrl = pageUrl(hash);
    track(PAGEVIEW);
  };
  const viewIfNavigated = (): void => {
    if (pageUrl(hash) !== lastUrl) view();
  };

  view();
  for (const method of ["pushState", "replaceState"] as const) {
    const original = history[method];
    history[method] = function (...args) {
      original.apply(this, args);
      viewIfNavigated();
    };
  }
  addEventListener("popstate", viewIfNavigated);
  if (hash) addEventListener("hashchange", viewIfNavigated);
  addEventListener("pageshow", (event) => {
    if (event.persisted) view();
  });
};

/** Links of HTML, image maps and SVG; in SVG `href` may have a namespace. */
const LINK = "a[*|href],area[href]";

/**
 * The innermost link of the click, also inside an open shadow tree. The path ends with the document and the window, which
 * have no `matches`, and in a form a field may hide it.
 */
const linkOf = (event: Event): Element | undefined =>
  (event.composedPath() as Element[]).find((node) => typeof node.matches === "function" && node.matches(LINK));

/** `href` is an object in SVG, and not resolved. */
const targetOf = (link: Element): URL => {
  const { href } = link as HTMLAnchorElement & SVGAElement;
  return new URL(href.baseVal || href, link.baseURI);
};

/** Records clicks on outbound links and downloads. A click is only observed, never prevented or delayed. */
const trackLinkClicks = (settings: Settings, track: Track): void => {
  const trackClick = (event: MouseEvent): void => {
    const link = linkOf(event);
    // The right button opens a context menu; a prevented click is handled by the page itself.
    if (!link || event.button > 1 || event.defaultPrevented) return;
    const target = targetOf(link);
    if (!target.protocol.startsWith("http")) return;

    if (settings.flag("downloads") && settings.download.test(target.pathname)) {
      // Without the query, which often holds a signature that grants access to the file.
      track(FILE_DOWNLOAD, { props: { url: target.origin + target.pathname } });
    } else if (settings.flag("outbound") && target.origin !== location.origin) {
      target.username = target.password = "";
      track(OUTBOUND_CLICK, { props: { url: target.href } });
    }
  };
  const onClick = (event: MouseEvent): void => attempt(() => trackClick(event));
  // On the window, after every listener of the page that may prevent the click.
  addEventListener("click", onClick);
  addEventListener("auxclick", onClick);
};

/** Runs the action once, as soon as the page is neither prerendered nor in a background tab. */
const whenVisible = (action: () => void): void => {
  let isDone = false;
  const check = (): void => {
    if (isDone || documentProperty("prerendering") || documentProperty("hidden")) return;
    isDone = true;
    action();
  };
  // Capturing on the window: only one of the two bubbles, and an element may hide the document's addEventListener.
  for (const type of ["prerenderingchange", "visibilitychange"]) addEventListener(type, check, true);
  check();
};

/** Starts tracking. The returned function adds to the queue until then. */
export const startTracking = (settings: Settings, queue: Parameters<Track>[]): Track => {
  const track = createTrack(settings);
  let isStarted = false;
  const trackOrQueue: Track = (...call) => {
    if (isStarted) track(...call);
    else queue.push(call);
  };
  trackLinkClicks(settings, trackOrQueue);
  whenVisible(() => {
    // A page may have frozen the history API, and its queue may hold anything.
    attempt(() => trackPageviews(track, settings.flag("hash")));
    isStarted = true;
    for (const call of queue) attempt(() => track(...call));
  });
  return trackOrQueue;
};
