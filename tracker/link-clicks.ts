/** Clicks on outbound links and downloads as events. A click is only observed, never prevented or delayed. */

import { attempt } from "./attempt.ts";
import { FILE_DOWNLOAD, OUTBOUND_CLICK } from "./names.ts";
import type { Settings } from "./settings.ts";
import type { Track } from "./track.ts";

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

export const trackLinkClicks = (settings: Settings, track: Track): void => {
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
