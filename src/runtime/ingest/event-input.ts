/** The wire format of an event: short field names, in a JSON body or in the pixel's query string (docs/http-api.md, "Event fields"). */
import { exceedsChars, wellFormed } from "../../shared/text.ts";
import type { SiteId } from "../../storage/event.ts";
import type { JsonObject } from "../../storage/record-store.ts";
import {
  Body,
  field,
  type Field,
  fieldOf,
  flagField,
  integerField,
  malformedBody,
  numberField,
  parseObject,
  required,
  textField,
} from "../base/body.ts";
import {
  CURRENCY_CHARS_MAX,
  ENGAGED_SECONDS_MAX,
  EVENT_NAME_CHARS_MAX,
  PROPS_CHARS_MAX,
  REVENUE_CENTS_MAX,
  URL_CHARS_MAX,
  URL_HOST_CHARS_MAX,
} from "../base/config/limits.ts";
import { PAGEVIEW, parseSiteId, siteIdSchema } from "../base/config/names.ts";
import { invalidInput } from "../base/errors.ts";
import { boolean, count, number, orNull, type Schema, text } from "../base/json-schema.ts";
import { MARK_MAX } from "./evidence.ts";
import { engagedMsOf, isEngagement, withContractNames } from "./plausible-body.ts";

const sentAs = <Value>(name: string, declared: Field<Value>) => ({ name, ...declared });

const eventText = (schema: Schema): Field<string | null> =>
  textField(schema, (sent, name) => {
    if (sent === "" && schema.minLength === 1) throw invalidInput(`Field "${name}" must not be empty`);
    if (exceedsChars(sent, schema.maxLength ?? Infinity))
      throw invalidInput(`Field "${name}" must be at most ${schema.maxLength} characters`);
    return sent;
  });

const REFERRER = text("URL of the referring page. A referrer with the same host is not recorded.", { maxLength: URL_CHARS_MAX });

const WIDTH = number("Width of the screen in pixels.");

/** The parameters of the pixel that a body may leave out or send as null. */
export const PIXEL_SCHEMAS = { r: REFERRER, w: WIDTH };

/** The fields of a body, in the order in which they are read and checked. A field named like a column is stored as it was sent. */
export const EVENT_FIELDS = {
  siteId: sentAs(
    "d",
    required(
      eventText(
        siteIdSchema(
          "The id of the site. If the service has a list of sites, one of them; if `max_sites` is reached, one that has events.",
        ),
      ),
    ),
  ),
  eventName: sentAs(
    "n",
    required(
      eventText(
        text(`The event's name. \`${PAGEVIEW}\` is a page view; any other is a custom event and a goal.`, {
          minLength: 1,
          maxLength: EVENT_NAME_CHARS_MAX,
        }),
      ),
    ),
  ),
  url: sentAs(
    "u",
    required(
      eventText(
        text(
          `The page's whole http or https URL, whose host has at most ${URL_HOST_CHARS_MAX} characters, or its path from the first \`/\` on. ` +
            "Path, host and `utm_` values are stored.",
          { minLength: 1, maxLength: URL_CHARS_MAX },
        ),
      ),
    ),
  ),
  referrer: sentAs("r", eventText(orNull(REFERRER))),
  // A number out of range is not recorded, and the event is accepted.
  screenWidth: sentAs("w", numberField(orNull(WIDTH))),
  props: sentAs(
    "p",
    eventText({
      ...text("Custom properties: a JSON object as a string, or the object itself. Any other string is not recorded.", {
        maxLength: PROPS_CHARS_MAX,
      }),
      type: ["string", "object", "null"],
    }),
  ),
  revenue: sentAs(
    "ra",
    numberField(
      orNull(
        number(
          "Revenue in units of the currency, rounded to hundredths; negative for a refund. " +
            `Amounts over ${REVENUE_CENTS_MAX / 100} are not recorded.`,
        ),
      ),
    ),
  ),
  currency: sentAs(
    "rc",
    eventText(orNull(text("Three-letter ISO 4217 code. Anything else is not recorded.", { maxLength: CURRENCY_CHARS_MAX }))),
  ),
  engagedSeconds: sentAs(
    "e",
    integerField(orNull(count("Seconds that the visitor was engaged with the page.", { maximum: ENGAGED_SECONDS_MAX }))),
  ),
  interactive: sentAs(
    "interactive",
    flagField(
      orNull(boolean("`false` for an event that is no interaction, such as a scroll depth: a visit of one page view stays a bounce.")),
    ),
  ),
  // Any other value is ignored, because other programs may send one.
  mark: sentAs(
    "t",
    field(
      {
        description:
          "The mark of the tracking script: 0; 1 with a screen without width; 2 in a browser under remote control. Anything else is ignored.",
      },
      `an integer from 0 to ${MARK_MAX}`,
      (value) => (Number.isInteger(value) && Number(value) >= 0 && Number(value) <= MARK_MAX ? Number(value) : null),
      (sent) => sent,
    ),
  ),
} as const;

type Fields = typeof EVENT_FIELDS;

/** The fields as sent, with the right types and well-formed text, but otherwise unchecked. An absent optional field is null. */
export type EventInput = { readonly [Name in keyof Fields]: ReturnType<Fields[Name]["check"]> } & {
  /** It is checked and answered like an event, and dropped: the time on a page, or what else other products' tags send. */
  readonly isNoEvent?: true;
  /** Time that the visitor was engaged with the page since the last such ping. Of what is no event only. */
  readonly engagedMs?: number;
};

/** An input whose fields are within their limits and whose site id is valid. */
export interface CheckedEventInput extends EventInput {
  readonly siteId: SiteId;
}

const FIELDS = Object.entries(EVENT_FIELDS) as [keyof Fields, Fields[keyof Fields]][];

const OF_CONTRACT = new Body(Object.fromEntries(FIELDS.map(([, declared]) => [declared.name, declared]))).schema;

/** The body of `POST /api/event`. Open, because unknown fields are ignored, and so are values of other types in those of Plausible. */
export const EVENT_SCHEMA: Schema = {
  ...OF_CONTRACT,
  properties: {
    ...OF_CONTRACT.properties,
    $: { description: "Plausible's `ra` and `rc`: an object with `amount` and `currency`. Anything else is ignored." },
    i: { description: "Plausible's `interactive`: `false`. Anything else is ignored." },
  },
};

/**
 * The event of a POST body. invalid_input when the text is not JSON; malformed_body when it is not an object, or a field is
 * missing or has the wrong type.
 */
export function parseEventBody(body: string): EventInput {
  const sent = parseObject(body);
  const object = withContractNames(sent, body);
  const input = eventInputOf(object);
  return isEngagement(object) ? { ...input, isNoEvent: true, engagedMs: engagedMsOf(sent) } : input;
}

/** The event with these fields; malformed_body as in `parseEventBody`. */
export function eventInputOf(object: JsonObject): EventInput {
  const input: Partial<Record<keyof Fields, unknown>> = {};
  for (const [property, { name, read }] of FIELDS) input[property] = read(fieldOf(object, name), name);
  return input as EventInput;
}

/** A JSON number (RFC 8259), so that the pixel's `w` means what the body's does. */
const NUMBER = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

const NO_FIELDS = Object.fromEntries(FIELDS.map(([property]) => [property, null])) as { readonly [Name in keyof Fields]: null };

/** The event of a pixel's query string, which has `d`, `n`, `u`, `r` and `w` only. malformed_body as in `parseEventBody`. */
export function parsePixelQuery(params: URLSearchParams): EventInput {
  const width = params.get("w");
  if (width !== null && !NUMBER.test(width)) throw malformedBody('Parameter "w" must be a number');
  const referrer = params.get("r");
  return {
    ...NO_FIELDS,
    siteId: requiredParameter(params, "d"),
    eventName: wellFormed(params.get("n") ?? PAGEVIEW),
    url: requiredParameter(params, "u"),
    referrer: referrer === null ? null : wellFormed(referrer),
    screenWidth: width === null ? null : Number(width),
  };
}

/** invalid_input when a required field is empty, a value is not allowed, or the site id is invalid. */
export function checkEventInput(input: EventInput): CheckedEventInput {
  for (const [property, { name, check }] of FIELDS) check(input[property], name);
  return { ...input, siteId: parseSiteId(input.siteId, "d") };
}

function requiredParameter(params: URLSearchParams, name: string): string {
  const value = params.get(name);
  if (value === null) throw malformedBody(`Parameter "${name}" is missing`);
  return wellFormed(value);
}

const DECIMAL = /^(-?)(\d+)(?:\.(\d+))?$/;

const CURRENCY = /^[A-Za-z]{3}$/;

/**
 * `amount` in hundredths, rounded half away from zero by its decimal digits: 1.005 gives 101, although the double is slightly
 * less (docs/http-api.md, "Revenue"). `null` when it is absent, not finite, or beyond `REVENUE_CENTS_MAX`. Never -0.
 */
export function parseRevenue(amount: number | null): number | null {
  if (amount === null || !Number.isFinite(amount)) return null;
  const decimal = DECIMAL.exec(String(amount));
  // In exponential notation: at least 1e21, or less than a millionth.
  if (decimal === null) return Math.abs(amount) < 1 ? 0 : null;
  const [, sign, whole = "", fraction = ""] = decimal;
  const roundsUp = fraction.charAt(2) >= "5";
  // Exact: an amount within the limit is far below 2^53.
  const cents = Number(whole + fraction.slice(0, 2).padEnd(2, "0")) + (roundsUp ? 1 : 0);
  if (cents > REVENUE_CENTS_MAX) return null;
  return sign === "-" && cents > 0 ? -cents : cents;
}

/** Three ASCII letters, in capitals; `null` for anything else. */
export const parseCurrency = (code: string | null): string | null => (code !== null && CURRENCY.test(code) ? code.toUpperCase() : null);
