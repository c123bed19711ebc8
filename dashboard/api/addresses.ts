/** The public URLs of the dashboard's page and of what lies beside it: share links and the tracking script. */
import { SCRIPT_PATHS } from "../../src/shared/names.ts";

/** The service adds the canonical link if `dashboard_origin` is set. */
const pageUrl = (): string => document.querySelector<HTMLLinkElement>('link[rel="canonical"]')?.href ?? location.href;

export const shareUrl = (tokenOrSite: string): string => new URL(`./share/${tokenOrSite}`, pageUrl()).href;

/** Addresses that a server listens on, but that other clients cannot connect to. */
const ALL_INTERFACES = ["0.0.0.0", "[::]"];

/** `page` is the URL of the dashboard's page, which ends with a slash before its query. */
export function scriptUrlOf(page: string): string {
  const url = new URL(`.${SCRIPT_PATHS[0]}`, page);
  if (ALL_INTERFACES.includes(url.hostname)) url.hostname = "localhost";
  return url.href;
}

export const scriptUrl = (): string => scriptUrlOf(pageUrl());
