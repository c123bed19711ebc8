/** The public URL of the dashboard's page, and of what lies beside it. */

/** The canonical link is there if `dashboard_origin` is set. */
const publicUrl = document.querySelector<HTMLLinkElement>('link[rel="canonical"]')?.href;

export const pageUrl = (): string => publicUrl ?? location.href;

/** The page of a share link or of a public site (docs/http-api.md, "Share links"). */
export const shareUrl = (tokenOrSite: string): string => new URL(`./share/${tokenOrSite}`, pageUrl()).href;
