/** The page for an unknown path in a browser (docs/http-api.md, "Statuses"). Self-contained, because it needs no other file to be there. */
import type { Config } from "../runtime/base/config/config.ts";
import { PRODUCT_NAME } from "../shared/names.ts";
import { pageHeaders, weightsIn } from "./files.ts";
import { NO_STORE, type Reply } from "./http.ts";
import { languageOf, type PageLanguage } from "./page-language.ts";
import { pathBelow } from "./router.ts";

const STYLE =
  ":root{color-scheme:light dark}" +
  "body{margin:0;display:grid;place-items:center;min-height:100vh;background:#f6f4ef;color:#1c2628;font:16px/1.5 system-ui,sans-serif}" +
  "main{box-sizing:border-box;width:min(480px,100% - 32px);padding:32px;border:1px solid #e7e2d8;border-radius:20px;background:#fff}" +
  "h1{margin:8px 0 10px;font-size:26px;line-height:1.2}p{margin:0 0 14px}b{font-weight:650}a{color:#0b6b75}" +
  "@media(prefers-color-scheme:dark){body{background:#0d1518;color:#e6edec}main{border-color:#24343a;background:#142024}a{color:#5cc8c4}}";

/** SHA-256 of the style, which the page's policy allows by it. A test computes it. */
const STYLE_HASH = "Iu+ArUbjHTal+u5N2LSWzvhBTAG8X3552DnmwJEyIRA=";

const POLICY = `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

const WORDS = {
  en: { title: "Page not found", text: "There is nothing at this address.", link: "Open the dashboard" },
  de: { title: "Seite nicht gefunden", text: "Unter dieser Adresse gibt es nichts.", link: "Dashboard öffnen" },
  fr: { title: "Page introuvable", text: "Il n’y a rien à cette adresse.", link: "Ouvrir le tableau de bord" },
  es: { title: "Página no encontrada", text: "No hay nada en esta dirección.", link: "Abrir el panel" },
} as const satisfies Readonly<Record<PageLanguage, unknown>>;

/** Nothing of the request but the choice of a language is in the page. */
function pageOf(basePath: string, language: PageLanguage): string {
  const { title, text, link } = WORDS[language];
  return `<!doctype html>
<html lang="${language}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · ${PRODUCT_NAME}</title>
<style>${STYLE}</style>
<main>
<b>${PRODUCT_NAME}</b>
<h1>${title}</h1>
<p>${text}</p>
<p><a href="${basePath}/">${link}</a></p>
</main>
</html>
`;
}

/** Browsers name HTML when they navigate. Programs name JSON or, like `curl`, nothing in particular. */
function prefersHtml(accept: string | null): boolean {
  const weights = weightsIn(accept ?? "");
  const html = weights.get("text/html") ?? 0;
  return html > 0 && html >= (weights.get("application/json") ?? 0);
}

/** null for requests that get the error as JSON: those of programs, and all below `/api`. */
export function notFoundPage({ method, headers }: Request, { pathname }: URL, { basePath, role }: Config): Reply | null {
  const path = pathBelow(basePath, pathname);
  const isRead = method === "GET" || method === "HEAD";
  // An instance that only takes events has no dashboard to lead to.
  if (!isRead || role !== "all" || path === "/api" || path.startsWith("/api/") || !prefersHtml(headers.get("accept"))) return null;
  return {
    status: 404,
    headers: {
      ...pageHeaders([]),
      "Content-Security-Policy": POLICY,
      "Content-Type": "text/html; charset=utf-8",
      Vary: "Accept, Accept-Language",
      ...NO_STORE,
    },
    body: pageOf(basePath, languageOf(headers.get("accept-language"))),
  };
}
