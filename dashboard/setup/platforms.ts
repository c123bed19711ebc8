/** The tracking code of a site for each platform (docs/tracking.md, "Install the script"). */

/** What the script tag says. */
export interface Installation {
  readonly siteId: string;
  /** The public address of the script. */
  readonly scriptUrl: string;
}

interface Platform {
  readonly id: string;
  readonly label: string;
  /** Where the code goes: a sentence that ends with a colon. Texts between backticks are code. */
  readonly where: string;
  readonly code: (installation: Installation) => string;
}

/** This machine and private networks, whose pages the script counts only with `data-include-local`. */
const LOCAL = /^(?:(?:.+\.)?localhost|(?:0|10|127|169\.254|192\.168|172\.(?:1[6-9]|2\d|3[01]))(?:\.\d+)+)(?::\d+)?$/i;

export const isLocalSite = (siteId: string): boolean => LOCAL.test(siteId);

const scriptTag = ({ siteId, scriptUrl }: Installation): string =>
  `<script defer data-domain="${siteId}"${isLocalSite(siteId) ? " data-include-local" : ""} src="${scriptUrl}"></script>`;

/** PHP outputs what stands outside its own tags as it is. */
const phpAction = (installation: Installation): string => `<?php
add_action('wp_head', function () { ?>
${scriptTag(installation)}
<?php });`;

/** Without `defer`, because Next.js loads the script when the page has become interactive. */
const scriptComponent = ({ siteId, scriptUrl }: Installation): string => `import Script from 'next/script';

<Script data-domain="${siteId}"${isLocalSite(siteId) ? ' data-include-local=""' : ""} src="${scriptUrl}" />`;

/** Tag managers drop attributes of script tags that they do not know, so a script adds the tag. In ES5, which Tag Manager requires. */
const scriptElement = ({ siteId, scriptUrl }: Installation): string => `<script>
(function () {
  var script = document.createElement("script");
  script.setAttribute("data-domain", "${siteId}");${isLocalSite(siteId) ? '\n  script.setAttribute("data-include-local", "");' : ""}
  script.src = "${scriptUrl}";
  document.head.appendChild(script);
})();
</script>`;

/** In the order of the menu; the first is the default. */
export const PLATFORMS: readonly [Platform, ...Platform[]] = [
  { id: "html", label: "HTML", where: "Paste this into the `<head>` of your site:", code: scriptTag },
  { id: "wordpress", label: "WordPress", where: "Save this as `wp-content/mu-plugins/analytics.php`:", code: phpAction },
  { id: "nextjs", label: "Next.js", where: "In `app/layout.tsx`, import `Script` and put it inside `<body>`:", code: scriptComponent },
  { id: "sveltekit", label: "SvelteKit", where: "In `src/app.html`, paste this above `%sveltekit.head%`:", code: scriptTag },
  {
    id: "tag-manager",
    label: "Google Tag Manager",
    where: "Add a tag of type Custom HTML with this code and the trigger All Pages:",
    code: scriptElement,
  },
];
