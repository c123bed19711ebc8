/** Whether visitors are counted is their choice: a script for the site's pages, and a page (docs/privacy.md, "Opt-out link and page"). */
import { OPT_OUT_SCRIPT } from "../runtime/base/config/names.ts";
import { text } from "../runtime/base/json-schema.ts";
import { optionalOneOf } from "../runtime/query/parameters.ts";
import { PRODUCT_NAME } from "../shared/names.ts";
import { assetReply, existing, pageHeaders, SCRIPT_HEADERS, scriptOperation } from "./files.ts";
import { NO_STORE, Query } from "./http.ts";
import { always, NOT_STORED } from "./openapi/headers.ts";
import { documented, type Operations } from "./openapi/operation.ts";
import { languageOf, PAGE_LANGUAGES, type PageLanguage } from "./page-language.ts";
import type { Handler } from "./route.ts";

const STYLE =
  ":root{color-scheme:light dark}" +
  "body{margin:0;padding:16px;background:#f6f4ef;color:#1c2628;font:16px/1.5 system-ui,sans-serif}" +
  "main{max-width:480px;margin:0 auto}h1{margin:0 0 10px;font-size:22px;line-height:1.2}p{margin:0 0 14px}" +
  "button{min-height:44px;padding:8px 16px;font:inherit}section:focus{outline:none}" +
  "@media(prefers-color-scheme:dark){body{background:#0d1518;color:#e6edec}}";

/** SHA-256 of the style, which the page's policy allows by it. A test computes it. */
const STYLE_HASH = "7bzB1pOjbUjbuKvT2fNVgOWCFnqnqwKTkeIAt+Fo3jw=";

/** Any page may show it in a frame: there is nothing to do but to make this choice. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  `style-src 'sha256-${STYLE_HASH}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors *",
].join("; ");

const WORDS = {
  en: { title: "Visitor statistics", noScript: "Without JavaScript, this page can’t store your choice." },
  de: { title: "Besucherstatistik", noScript: "Ohne JavaScript kann diese Seite Ihre Wahl nicht speichern." },
  fr: { title: "Statistiques de visite", noScript: "Sans JavaScript, cette page ne peut pas enregistrer votre choix." },
  es: { title: "Estadísticas de visitas", noScript: "Sin JavaScript, esta página no puede guardar tu elección." },
} as const satisfies Readonly<Record<PageLanguage, unknown>>;

/** Nothing of the request but the choice of a language is in the page. The script adds the state and the button after its tag. */
function pageOf(language: PageLanguage): string {
  const { title, noScript } = WORDS[language];
  return `<!doctype html>
<html lang="${language}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · ${PRODUCT_NAME}</title>
<style>${STYLE}</style>
<main>
<h1>${title}</h1>
<script src="${OPT_OUT_SCRIPT}"></script>
<noscript><p>${noScript}</p></noscript>
</main>
</html>
`;
}

const PARAMETERS = {
  lang: optionalOneOf("The language of the page; by default that of the browser.", PAGE_LANGUAGES, "One of the dashboard's languages."),
};

export const getOptOutPage: Handler = ({ headers }, { url }) => {
  const { lang } = new Query(url).parse(PARAMETERS);
  return {
    status: 200,
    headers: {
      ...pageHeaders(["*"]),
      "Content-Security-Policy": POLICY,
      "Content-Type": "text/html; charset=utf-8",
      Vary: "Accept-Language",
      "X-Robots-Tag": "noindex",
      ...NO_STORE,
    },
    body: pageOf(lang ?? languageOf(headers.get("accept-language"))),
  };
};

export const getOptOutScript: Handler = (request, { services }) =>
  assetReply(request, existing(services.assets(OPT_OUT_SCRIPT)), SCRIPT_HEADERS);

// Description in the OpenAPI document

const OPERATIONS = {
  "GET /opt-out": {
    operationId: "getOptOutPage",
    summary: "The page of a visitor's choice",
    description: "Shows whether this browser is counted on pages of the service's own origin, and changes it. Any page may embed it.",
    parameters: documented(PARAMETERS),
    answers: {
      200: {
        description: "The page.",
        headers: {
          ...NOT_STORED,
          "Content-Security-Policy": always("Allows only the page's own script and style, and frames of every page."),
          "Permissions-Policy": always("Disables browser features that the page does not use."),
          "X-Robots-Tag": always("Search engines that load the page do not list it."),
          Vary: always("The language depends on the browser."),
        },
        content: { "text/html": { schema: text("The page.", { minLength: 1 }) } },
      },
    },
    refusals: { invalid_input: "`lang` is none of these languages." },
  },
  "GET /opt-out.js": scriptOperation("getOptOutScript", "The script of a visitor's choice, for pages of the site"),
} satisfies Operations;

export const OPT_OUT_API = { tag: "Service", schemas: {}, operations: OPERATIONS } as const;
