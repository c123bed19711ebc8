/** GET /api/sites/{site_id}/page: what would be kept of one address, by the settings of the site (docs/http-api.md, "Check an address"). */
import { URL_CHARS_MAX } from "../runtime/base/config/limits.ts";
import { parseSiteId, siteIdSchema } from "../runtime/base/config/names.ts";
import { invalidInput } from "../runtime/base/errors.ts";
import { boolean, closed, list, orNull, text } from "../runtime/base/json-schema.ts";
import { droppedParameters, parsePageUrl } from "../runtime/ingest/urls.ts";
import { required } from "../runtime/query/parameters.ts";
import { exceedsChars } from "../shared/text.ts";
import { Query, jsonReply } from "./http.ts";
import { answer, documented, inPath, type Operations } from "./openapi/operation.ts";
import type { Handler } from "./route.ts";

const PARAMETERS = {
  url: required(
    {
      description: "The address of a page, as in `u` of an event.",
      schema: text("An http or https URL, or a path.", { pattern: "^(?:/|https?://[^/])", maxLength: URL_CHARS_MAX }),
      example: "https://example.com/topic.php?t=1",
    },
    (value) => {
      if (exceedsChars(value, URL_CHARS_MAX)) throw invalidInput(`"url" must be at most ${URL_CHARS_MAX} characters`);
      return value;
    },
  ),
};

export const getSitePage: Handler = (_request, { params, services: { sites }, url }) => {
  const siteId = parseSiteId(params.site_id ?? "", "site_id");
  const { url: address } = new Query(url).parse(PARAMETERS);
  const settings = sites.settingsOf(siteId);
  const page = parsePageUrl(address, settings, '"url"');
  const [path = ""] = page.pathname.split("?", 1);
  return jsonReply({
    pathname: page.pathname,
    hostname: page.hostname,
    utm_source: page.utmSource,
    utm_medium: page.utmMedium,
    utm_campaign: page.utmCampaign,
    utm_content: page.utmContent,
    utm_term: page.utmTerm,
    click_id: page.clickId,
    is_excluded: sites.exclusionsOf(siteId)?.hasPage?.(path, page.hostname) ?? false,
    dropped_parameters: droppedParameters(address, settings),
  });
};

// Description in the OpenAPI document

const campaign = (name: string) => orNull(text(`The stored \`${name}\`.`));

const SCHEMAS = {
  KeptPage: closed({
    pathname: text("The stored path, with the parameters that are part of it.", { pattern: "^/" }),
    hostname: orNull(text("The stored host; null for a path.")),
    utm_source: campaign("utm_source"),
    utm_medium: campaign("utm_medium"),
    utm_campaign: campaign("utm_campaign"),
    utm_content: campaign("utm_content"),
    utm_term: campaign("utm_term"),
    click_id: orNull(text("The kind of click id, such as `gclid`; its value is not stored.")),
    is_excluded: boolean("Whether the site excludes events of this path or host."),
    dropped_parameters: list(
      "Parameters of the query of which nothing is stored, by name: those that are pages belong into `page_parameters`.",
      text("A name."),
    ),
  }),
};

const OPERATIONS = {
  "GET /api/sites/:site_id/page": {
    operationId: "getKeptPage",
    summary: "What would be kept of one address",
    description: "By the settings of the site. Nothing is requested and nothing is stored.",
    parameters: [
      inPath("site_id", "The site.", siteIdSchema("The site id of its events (`d`)."), "example.com"),
      ...documented(PARAMETERS),
    ],
    answers: { 200: answer("What would be stored.", "KeptPage") },
    refusals: { invalid_input: "The site in the path is no site id, or `url` is missing, too long or no address of a page." },
  },
} satisfies Operations;

export const SITE_PAGE_API = { tag: "Sites", schemas: SCHEMAS, operations: OPERATIONS } as const;
