/** POST /api/stats/channel-preview: what rules of arrivals that are not stored yet would change (docs/channels.md). */
import { arrivalRulesIn, parseBodyOfSite } from "../runtime/sites/site-settings.ts";
import { ARRIVALS_VERSION } from "../runtime/arrivals/arrivals.ts";
import { RULES_VERSION } from "../runtime/reports/measures/visits.ts";
import { CHANNELS } from "../shared/channels.ts";
import { BODY_BYTES_MAX } from "../runtime/base/config/limits.ts";
import { closed, count, list, text, word } from "../runtime/base/json-schema.ts";
import { checkSite, SCOPE_PARAMETERS, scopeOf } from "../runtime/query/scope.ts";
import { CHANNEL_PREVIEW, queryOf } from "../runtime/reports/queries.ts";
import type { ChannelPreview } from "../runtime/reports/channel-preview.ts";
import { askerOf } from "./access.ts";
import { jsonReply, Query, readJson } from "./http.ts";
import { answer, documented, jsonBody, type Operations } from "./openapi/operation.ts";
import type { Handler } from "./route.ts";

/** Long enough to have visits of each kind, short enough to be answered at once. */
const PERIOD = "90d";

const PARAMETERS = { site_id: SCOPE_PARAMETERS.site_id };

export const postChannelPreview: Handler = async (request, context) => {
  const { services, reader, url, nowMs } = context;
  const { site_id: siteId } = new Query(url).parse(PARAMETERS);
  checkSite(reader, siteId);
  const rules = arrivalRulesIn(parseBodyOfSite(await readJson(request), siteId));
  const scope = await scopeOf({ site_id: siteId, period: PERIOD, filters: [], segment: null, lens: "default" }, reader);
  const query = queryOf(CHANNEL_PREVIEW, scope, { nowMs, calendar: reader.calendarOf(siteId) }, { rules });
  const preview = JSON.parse(await services.stats.fresh(query, askerOf(context))) as ChannelPreview;
  return jsonReply({ start_date: scope.range.firstDay, end_date: scope.range.lastDay, rules_version: ARRIVALS_VERSION, ...preview });
};

// Description in the OpenAPI document

const channel = (meaning: string) => word(meaning, CHANNELS);

const SCHEMAS = {
  ChannelPreview: closed({
    start_date: text("The first date of the visits.", { format: "date" }),
    end_date: text("The current date.", { format: "date" }),
    visits: count("All visits of these dates."),
    rules_version: RULES_VERSION,
    moved: count("How many of them would have another channel."),
    moves: list(
      "The visits that would have another channel, most first.",
      closed({
        channel: channel("Their channel now."),
        proposed: channel("The one that they would have."),
        visits: count("Their number."),
      }),
      { maxItems: CHANNELS.length * (CHANNELS.length - 1) },
    ),
  }),
};

const OPERATIONS = {
  "POST /api/stats/channel-preview": {
    operationId: "previewChannels",
    summary: "The visits of the last 90 days that other rules would move",
    description:
      "By `own_hosts`, `ignored_referrers` and `channel_rules` of the body, instead of those of the site's settings. Nothing is stored.",
    parameters: documented(PARAMETERS),
    requestBody: jsonBody("NewSiteSettings", BODY_BYTES_MAX),
    answers: { 200: answer("What would change.", "ChannelPreview") },
    refusals: {
      malformed_body: "The body is not an object, or a field has the wrong type.",
      invalid_input: "The body is not JSON, a field is unknown or breaks its rule, or `site_id` is missing or no site id.",
      body_too_large: `The body is longer than ${BODY_BYTES_MAX} bytes.`,
      too_many_requests: "The maximum number of stats queries is running.",
      request_timeout: "The result was not computed within the time limit.",
      unavailable: "The query engine has too little memory for the range at the moment.",
    },
  },
} satisfies Operations;

export const CHANNEL_PREVIEW_API = { tag: "Sites", schemas: SCHEMAS, operations: OPERATIONS } as const;
