/** Tracking codes by platform (docs/tracking.md, "Install the script"). */
import { words } from "../words/words.ts";

export interface Installation {
  readonly siteId: string;
  readonly scriptUrl: string;
}

interface Platform {
  readonly id: string;
  readonly label: string;
  /** Says where the code goes; ends with a colon. Text between backticks is code. */
  readonly where: string;
  readonly code: (installation: Installation) => string;
}

/** This machine and private networks. The script counts their pages only with `data-include-local`. */
const LOCAL = /^(?:(?:.+\.)?localhost|(?:0|10|127|169\.254|192\.168|172\.(?:1[6-9]|2\d|3[01]))(?:\.\d+)+)(?::\d+)?$/i;

export const isLocalSite = (siteId: string): boolean => LOCAL.test(siteId);

const scriptTag = ({ siteId, scriptUrl }: Installation): string =>
  `<script defer data-domain="${siteId}"${isLocalSite(siteId) ? " data-include-local" : ""} src="${scriptUrl}"></script>`;

/** PHP prints whatever stands outside its tags. */
const phpAction = (installation: Installation): string => `<?php
add_action('wp_head', function () { ?>
${scriptTag(installation)}
<?php });`;

/** Omits `defer`: Next.js loads the script once the page is interactive. */
const scriptComponent = ({ siteId, scriptUrl }: Installation): string => `import Script from 'next/script';

<Script data-domain="${siteId}"${isLocalSite(siteId) ? ' data-include-local=""' : ""} src="${scriptUrl}" />`;

/** Tag managers drop unknown attributes of script tags, so a script adds the tag. ES5, as Tag Manager requires. */
const scriptElement = ({ siteId, scriptUrl }: Installation): string => `<script>
(function () {
  var script = document.createElement("script");
  script.setAttribute("data-domain", "${siteId}");${isLocalSite(siteId) ? '\n  script.setAttribute("data-include-local", "");' : ""}
  script.src = "${scriptUrl}";
  document.head.appendChild(script);
})();
</script>`;

/** Listed in this order; the first is the default. */
export const PLATFORMS: readonly [Platform, ...Platform[]] = [
  { id: "html", label: "HTML", where: words.setup.pasteHead, code: scriptTag },
  { id: "wordpress", label: "WordPress", where: words.setup.saveWordpress, code: phpAction },
  { id: "nextjs", label: "Next.js", where: words.setup.pasteNext, code: scriptComponent },
  { id: "sveltekit", label: "SvelteKit", where: words.setup.pasteSvelte, code: scriptTag },
  {
    id: "tag-manager",
    label: "Google Tag Manager",
    where: words.setup.addTag,
    code: scriptElement,
  },
];
