/** What a card opens: the dashboard of its site with the period of the page, and with the tabs that were chosen last. */
import { rememberedTabs } from "../state/remembered.ts";
import { hrefAnew, param } from "../state/url.ts";
import { openSite } from "../state/view.ts";

const viewOfSite = () => ({ ...rememberedTabs(), period: param("period") });

export const openCard = (siteId: string): void => openSite(siteId, viewOfSite());

export const cardHref = (siteId: string): string => hrefAnew({ site: siteId, ...viewOfSite() });
