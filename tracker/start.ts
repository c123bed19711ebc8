/** Observes pageviews and clicks on links, from the moment the page is visible. */
import { api, download, flag, ownHosts } from "./settings.ts";
import { type Track, track } from "./event.ts";
import { attempt, documentProperty } from "./page.ts";
import { pageKey } from "./address.ts";
import { FILE_DOWNLOAD, OPT_OUT_ID, OUTBOUND_CLICK, PAGEVIEW } from "./names.ts";

/** Records the first view of a page, a navigation within it, and its return from the back/forward cache. */
const trackPageviews = (): void => {
  let lastKey: string;

  const view = (): void => {
    lastKey = pageKey();
    track(PAGEVIEW);
  };
  const viewIfNavigated = (): void => {
    if (pageKey() !== lastKey) view();
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
  addEventListener("hashchange", viewIfNavigated);
  addEventListener("pageshow", (event) => {
    if (event.persisted) view();
  });
  // `navigation.navigate()` bypasses the methods of `history`.
  if (window.navigation) navigation.addEventListener("currententrychange", viewIfNavigated);
};

/** Loads the visitor's choice for a link with its fragment (docs/privacy.md, "Opt-out link and page"). */
const offerOptOut = (): void => {
  if (location.hash !== "#" + OPT_OUT_ID) return;
  const script = document.createElement("script");
  // Beside the folder of `/api/event`, whatever host and path come before.
  script.src = api + "/../../opt-out.js";
  document.documentElement.append(script);
};

/** Records clicks on outbound links and downloads. A click is only observed, never prevented or delayed. */
const trackLinkClicks = (trackOrQueue: Track): void => {
  const onClick = (event: MouseEvent): void =>
    attempt(() => {
      // The innermost link of HTML, an image map or SVG (where `href` may have a namespace), also inside an open shadow tree. The path
      // ends with the document and the window, which have no `matches`, and in a form a field may hide it.
      const link = (event.composedPath() as (HTMLAnchorElement & SVGAElement)[]).find(
        (node) => typeof node.matches === "function" && node.matches("a[*|href],area[href]"),
      );
      // The right button opens a context menu; a prevented click is handled by the page itself.
      if (!link || event.button > 1 || event.defaultPrevented) return;
      // In SVG it is an object, and not resolved.
      const target = new URL(link.href.baseVal || link.href, link.baseURI);
      if (!target.protocol.startsWith("http")) return;

      if (flag("downloads") && (link.hasAttribute("download") || download.test(target.pathname))) {
        // Without the query, which often holds a signature that grants access to the file.
        trackOrQueue(FILE_DOWNLOAD, { props: { url: target.origin + target.pathname } });
      } else if (flag("outbound") && !ownHosts.some((pattern) => pattern.test(target.hostname))) {
        target.username = target.password = "";
        trackOrQueue(OUTBOUND_CLICK, { props: { url: target.href } });
      }
    });
  // On the window, after every listener of the page that may prevent the click.
  addEventListener("click", onClick);
  addEventListener("auxclick", onClick);
};

/** Starts once the page is neither prerendered nor in a background tab. The returned function adds to the queue until then. */
export const startTracking = (queue: Parameters<Track>[]): Track => {
  let isStarted = false;
  const trackOrQueue: Track = (...call) => {
    if (isStarted) track(...call);
    else queue.push(call);
  };
  const startIfVisible = (): void => {
    if (isStarted || documentProperty("prerendering") || documentProperty("hidden")) return;
    isStarted = true;
    // A page may have frozen the history API, and its queue may hold anything.
    attempt(trackPageviews);
    attempt(offerOptOut);
    for (const call of queue) attempt(() => track(...call));
  };
  trackLinkClicks(trackOrQueue);
  // Capturing on the window: only one of the two bubbles, and an element may hide the document's addEventListener.
  addEventListener("prerenderingchange", startIfVisible, true);
  addEventListener("visibilitychange", startIfVisible, true);
  addEventListener("hashchange", offerOptOut);
  startIfVisible();
  return trackOrQueue;
};
