/** Links of rows and items of their menus, which open in a new tab: of a page, on the host on which it was viewed. */
import { useRef, useState } from "preact/hooks";
import { UNRECORDED } from "../../src/shared/filters.ts";
import { urlOf } from "../api/http.ts";
import { fetchReport } from "../api/reports.ts";
import type { Dimension, Reports } from "../api/types.ts";
import type { MenuItem } from "../kit/menu.tsx";
import { onPlainClick } from "../kit/pointing.ts";
import { filterBy, printFilters } from "../state/filters.ts";
import { scope } from "../state/scope.ts";
import { ownFilters } from "../state/view-filters.ts";
import { site } from "../state/view.ts";
import { fill, words } from "../words/words.ts";

/** What a row leads to. */
export interface Linked {
  readonly href?: string | null;
  /** A stored path: its page opens on the host on which it was viewed. */
  readonly page?: string | null;
}

const PAGE_DIMENSIONS: readonly Dimension[] = ["pages", "entry-pages", "exit-pages"];

/** The page or referrer behind a value. */
export const linkOf = (dimension: Dimension, value: string): Linked => ({
  page: PAGE_DIMENSIONS.includes(dimension) && value.startsWith("/") && site.value !== null ? value : null,
  href: dimension === "visit-referrers" && /^https?:/.test(value) ? value : null,
});

interface RowLinkProps {
  readonly label: string;
  readonly href: string;
  readonly onNear?: () => void;
  readonly onClick?: (event: MouseEvent) => void;
}

export const RowLink = ({ label, href, onNear, onClick }: RowLinkProps) => (
  <a
    class="row-link"
    href={href}
    target="_blank"
    rel="noreferrer noopener"
    aria-label={fill(words.cards.openInTab, { page: label })}
    onPointerEnter={onNear}
    onFocus={onNear}
    onClick={onClick}
  >
    ↗
  </a>
);

const HOST_MS_MAX = 5_000;

/** The host on which the page was viewed most in this view; null if no event has one. Rejects if the service does not say. */
async function hostOf(page: string): Promise<string | null> {
  const filters = printFilters([...ownFilters.value, filterBy("pages", page)]);
  const url = urlOf("/api/stats/breakdown/hostnames", { ...scope.value, filters, limit: 1 });
  const [first] = await fetchReport<Reports["breakdown"]>(url, AbortSignal.timeout(HOST_MS_MAX));
  return first === undefined || first.value === UNRECORDED ? null : first.value;
}

interface PageLinkProps {
  readonly label: string;
  readonly page: string;
}

/** Anybody can send events of any host, so a link leads only to the site itself and its subdomains, if its id is a host at all. */
function isOfSite(host: string, siteId: string): boolean {
  const own = siteId.replace(/^www\.|:\d+$/g, "");
  return !own.includes(".") || host === own || host.endsWith(`.${own}`);
}

/** null stands for the site's id. */
async function hostOfSite(page: string): Promise<string | null> {
  const viewed = await hostOf(page);
  return viewed !== null && isOfSite(viewed, site.value ?? "") ? viewed : null;
}

const addressOn = (host: string | null, page: string): string => `https://${host ?? site.value}${page}`;

const openInTab = (url: string): void => void window.open(url, "_blank", "noreferrer,noopener");

/** Asks for the host once the link is pointed at or focused: most rows are never opened. The site's id stands for it until then. */
export function PageLink({ label, page }: PageLinkProps) {
  const [host, setHost] = useState<string | null>(null);
  const asked = useRef<Promise<string | null> | null>(null);

  function ask(): Promise<string | null> {
    asked.current ??= hostOfSite(page).then(
      (found) => {
        setHost(found ?? site.value);
        return found;
      },
      () => {
        // Asked again the next time.
        asked.current = null;
        return null;
      },
    );
    return asked.current;
  }

  const open = onPlainClick(() => void ask().then((found) => openInTab(addressOn(found, page))));
  return <RowLink label={label} href={addressOn(host, page)} onNear={() => void ask()} {...(host === null && { onClick: open })} />;
}

async function openLinked({ href = null, page = null }: Linked): Promise<void> {
  if (href !== null) openInTab(href);
  else if (page !== null) openInTab(addressOn(await hostOfSite(page).catch(() => null), page));
}

/** Fingers have no other way to a row's page: its arrow shows to a mouse. */
export const linkItems = (linked: Linked, label: string): MenuItem[] =>
  linked.href == null && linked.page == null
    ? []
    : [{ label: fill(words.cards.openInTab, { page: label }), onChoose: () => void openLinked(linked) }];
