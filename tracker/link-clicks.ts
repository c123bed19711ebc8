/** Decides which clicks leave the site or fetch a file. The click itself is only watched: never stopped, never delayed. */

import { attempt } from "./attempt.ts";
import { FILE_DOWNLOAD, OUTBOUND_CLICK } from "./names.ts";
import type { Report } from "./report.ts";
import type { Settings } from "./settings.ts";

/** Links of HTML, of image maps and of SVG, whose `href` may have a namespace. */
const LINK = "a[*|href],area[href]";

/** The innermost link of the click, also inside an open shadow tree. The path ends with the document and the window, which match nothing; a form's field may hide its method. */
const linkOf = (event: Event): Element | undefined =>
  (event.composedPath() as Element[]).find((node) => typeof node.matches === "function" && node.matches(LINK));

/** An SVG link's `href` is an object, and relative as written. */
const targetOf = (link: Element): URL => {
  const { href } = link as HTMLAnchorElement & SVGAElement;
  return new URL(href.baseVal || href, link.baseURI);
};

export const watchLinkClicks = (settings: Settings, report: Report): void => {
  const count = (event: MouseEvent): void => {
    const link = linkOf(event);
    // The right button opens a menu, and a click the site prevented is the site's own affair.
    if (!link || event.button > 1 || event.defaultPrevented) return;
    const target = targetOf(link);
    if (!target.protocol.startsWith("http")) return;

    if (settings.flag("downloads") && settings.download.test(target.pathname)) {
      // Without the query, which often holds a signature that opens the file.
      report(FILE_DOWNLOAD, { props: { url: target.origin + target.pathname } });
    } else if (settings.flag("outbound") && target.origin !== location.origin) {
      target.username = target.password = "";
      report(OUTBOUND_CLICK, { props: { url: target.href } });
    }
  };
  const clicked = (event: MouseEvent): void => attempt(() => count(event));
  // On the window, so that every listener of the site has had its chance to prevent the click.
  addEventListener("click", clicked);
  addEventListener("auxclick", clicked);
};
