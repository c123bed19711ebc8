/** Describes ingestion (docs/http-api.md, "Sending events"). */
import {
  BODY_BYTES_MAX,
  CURRENCY_CHARS_MAX,
  EVENT_NAME_CHARS_MAX,
  PROPS_CHARS_MAX,
  REVENUE_CENTS_MAX,
  URL_CHARS_MAX,
  URL_HOST_CHARS_MAX,
} from "../../runtime/base/config/limits.ts";
import { PAGEVIEW } from "../../runtime/base/config/names.ts";
import { NOT_STORED, PREFLIGHT_HEADERS } from "./headers.ts";
import type { Operation } from "./operation.ts";
import { siteIdSchema } from "../../runtime/query/scope-parameters.ts";
import { query } from "./parameters.ts";
import { number, orNull, text, type Properties, type Schema } from "../../runtime/query/json-schema.ts";

const SITE = siteIdSchema(
  "The id of the site. If the service has a list of sites, one of them; if `max_sites` is reached, one that has events.",
);
const NAME = text(`The event's name. \`${PAGEVIEW}\` is a page view; any other is a custom event and a goal.`, {
  minLength: 1,
  maxLength: EVENT_NAME_CHARS_MAX,
});
const PAGE = text(
  `The page's whole http or https URL, whose host has at most ${URL_HOST_CHARS_MAX} characters, or its path from the first \`/\` on. Path, host and \`utm_\` values are stored.`,
  {
    minLength: 1,
    maxLength: URL_CHARS_MAX,
  },
);
const REFERRER = text("URL of the referring page. A referrer with the same host is not recorded.", { maxLength: URL_CHARS_MAX });
const WIDTH = number("Width of the screen in pixels.");

const EVENT_FIELDS: Properties = {
  d: SITE,
  n: NAME,
  u: PAGE,
  r: orNull(REFERRER),
  w: orNull(WIDTH),
  p: orNull(text("Custom properties: a JSON object as a string. Anything else is not recorded.", { maxLength: PROPS_CHARS_MAX })),
  ra: orNull(
    number(
      `Revenue in units of the currency, rounded to hundredths; negative for a refund. Amounts over ${REVENUE_CENTS_MAX / 100} are not recorded.`,
    ),
  ),
  rc: orNull(text("Three-letter ISO 4217 code. Anything else is not recorded.", { maxLength: CURRENCY_CHARS_MAX })),
};

/** Open, because unknown fields are ignored. */
const EVENT: Schema = { type: "object", properties: EVENT_FIELDS, required: ["d", "n", "u"] };

export const INGEST_SCHEMAS = { Event: EVENT };

const REFUSALS = {
  forbidden:
    "The service has a list of sites, and the page's `Origin` or the site is not on it. Or it has no list, the site has no events yet, and `max_sites` is reached.",
  request_timeout: "The event did not arrive, or was not stored, within the time limit.",
  too_many_requests: "The site or the sender's address exceeds its rate limit.",
  unavailable: "The event could not be stored, or too many events are waiting to be written to files.",
} as const;

export const INGEST_OPERATIONS = {
  "POST /api/event": {
    operationId: "postEvent",
    tag: "Ingestion",
    summary: "Records an event",
    description:
      "For the tracking script and for servers. A server forwards the visitor's `User-Agent`, and the address in " +
      "`X-Forwarded-For` if the service trusts it as a proxy. Events of bots get the same response and are dropped.",
    requestBody: {
      description: `A JSON object of at most ${BODY_BYTES_MAX} bytes, with any Content-Type. Pages send \`text/plain\`, which needs no preflight.`,
      required: true,
      content: { "application/json": { schema: { $ref: "#/components/schemas/Event" } } },
    },
    answers: { 202: { description: "The event is stored, or was sent by a bot." } },
    refusals: {
      ...REFUSALS,
      invalid_input: "The body is not JSON, or a field is empty, too long or invalid.",
      body_too_large: `The body is longer than ${BODY_BYTES_MAX} bytes.`,
      malformed_body: "The body is not an object, or a field is missing or has the wrong type.",
    },
  },
  "GET /api/event": {
    operationId: "getPixel",
    tag: "Ingestion",
    summary: "Records an event with a tracking pixel",
    description: "For pages without scripts and for emails. Custom properties and revenue are not supported. HEAD is not allowed.",
    parameters: [
      query("d", { description: "The site.", required: true, schema: SITE, example: "example.com" }),
      query("n", { description: "The event's name.", schema: { ...NAME, default: PAGEVIEW }, example: "newsletter opened" }),
      query("u", { description: "The page.", required: true, schema: PAGE, example: "/newsletter/7" }),
      query("r", { description: "The referrer.", schema: REFERRER, example: "https://example.org/links" }),
      query("w", { description: "The screen's width.", schema: WIDTH, example: 1280 }),
    ],
    answers: {
      200: { description: "A transparent GIF of one pixel.", headers: NOT_STORED, content: { "image/gif": {} } },
    },
    refusals: {
      ...REFUSALS,
      invalid_input: "A parameter is empty, too long or invalid.",
      malformed_body: "A required parameter is missing, or `w` is not a number.",
    },
  },
  "OPTIONS /api/event": {
    operationId: "preflightEvent",
    tag: "Ingestion",
    summary: "CORS preflight: pages of any origin may send events",
    answers: { 204: { description: "Events may be sent.", headers: PREFLIGHT_HEADERS } },
  },
} satisfies Readonly<Record<string, Operation>>;
