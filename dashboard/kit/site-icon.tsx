/** A site's icon: its first letter in a color computed from its id. Favicons are not used, because they would be requested from sites. */

/** An FNV-1a hash: the same for the same id, and far apart for similar ids. */
const hueOf = (siteId: string): number =>
  ([...siteId].reduce((hash, char) => Math.imul(hash ^ char.charCodeAt(0), 0x01000193), 0x811c9dc5) >>> 0) % 360;

const letterOf = (siteId: string): string => /[a-z0-9]/i.exec(siteId.replace(/^www\./i, ""))?.[0]?.toUpperCase() ?? "?";

/** The letter is drawn by the style sheet, so that it is no part of a button's text. */
export const SiteIcon = ({ siteId }: { readonly siteId: string }) => (
  <span class="site-icon" aria-hidden="true" data-letter={letterOf(siteId)} style={{ "--hue": String(hueOf(siteId)) }} />
);
