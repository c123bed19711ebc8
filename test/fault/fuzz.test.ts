/**
 * Random requests, most of them invalid, against the app with the real engine: no response may be a 5xx (except the documented
 * 503s), hang or expose internals. Prints its seed; FUZZ_SEED repeats a run and FUZZ_REQUESTS sets its length.
 */
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ROUTES } from "../../src/handlers/app.ts";
import { openapiDocument } from "../../src/handlers/openapi.ts";
import { createKey, logIn, PASSWORD, withKey } from "../support/auth-requests.ts";
import { character } from "../support/character.ts";
import { createInProcessTarget, type InProcessTarget } from "../support/in-process-target.ts";
import { numberFrom, seedFrom } from "../support/number-from-environment.ts";
import { answerProblems, documentedIn, type Documented } from "../support/openapi.ts";
import { post, wireEvent, type RequestHeaders } from "../support/requests.ts";
import { CHROME_WINDOWS, GOOGLEBOT } from "../support/user-agents.ts";

/** Without settings every run tries the same requests, so that a change is judged by what it changes. */
const SEED = seedFrom("FUZZ_SEED", 247_162_260);
const REQUESTS = numberFrom("FUZZ_REQUESTS", 2_500);

const ANSWER_MS_MAX = 60_000;

const ROUTES_DOCUMENTED = documentedIn(openapiDocument(ROUTES));

interface Wild {
  readonly method: string;
  readonly path: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string | Uint8Array;
}

/** Words that mean something to some part, and those that stand for trouble. */
const word = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom(
      "fuzz.test",
      "fuzz.test",
      "2026-03-15",
      "2026-03-01",
      "pageview",
      "/",
      "30d",
      "day",
      "12mo",
      "csv",
      "json",
      "raw",
      "daily",
      "1",
      "10",
      "1000",
      "plan",
    ),
  },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      "page:/,event:signup",
      "page:*,page:/a",
      "event:a%2Cb,page:/",
      "1 day",
      "53 weeks",
      "strict_order",
      "backward",
      "(?1).*(?2)",
      "(?1)(?t<=3600)(?2)",
      "browsers==Chrome",
      "os!=(unknown);countries==DE",
      "previous_period",
      "year_over_year",
    ),
  },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      "",
      "0",
      "-1",
      "1e9",
      "NaN",
      "99999999999999999999",
      "0001-01-01",
      "9999-12-31",
      "2026-02-30",
      "null",
      "__proto__",
      "constructor",
      "toString",
      "' OR 1=1 --",
      "$1",
      "../../etc/passwd",
      "%00",
      "\u0000",
      "%F0%9F",
      "a".repeat(3000),
      "==;!=;",
      "browsers==".repeat(20),
    ),
  },
  { weight: 2, arbitrary: fc.string({ unit: character, maxLength: 40 }) },
  { weight: 2, arbitrary: fc.string({ unit: "grapheme-ascii", maxLength: 40 }) },
);

/** Latin-1 without line breaks and the like: nothing else can be a header. */
const headerText = fc
  .oneof(
    fc.constantFrom(
      "",
      "https://page.test",
      "null",
      "http://[",
      "gzip",
      "application/json",
      "-1",
      "0",
      "99999999999",
      "chunked",
      "Bearer",
      "Bearer svc_x",
      "svc_session=x; svc_session=",
      CHROME_WINDOWS,
      GOOGLEBOT,
      '"Chromium";v="120"',
      "?1",
      "x".repeat(5000),
    ),
    fc.string({ unit: fc.integer({ min: 0x20, max: 0xff }).map((code) => String.fromCharCode(code)), maxLength: 60 }),
  )
  .map((text) => text.trim());

const HEADER_NAMES = [
  "origin",
  "referer",
  "user-agent",
  "content-type",
  "content-length",
  "cookie",
  "authorization",
  "x-api-key",
  "x-forwarded-for",
  "x-forwarded-proto",
  "sec-ch-ua",
  "sec-ch-ua-platform",
  "sec-ch-ua-mobile",
  "accept-encoding",
  "if-none-match",
  "range",
  "access-control-request-headers",
  "x-request-id",
] as const;

const parameterNames = [...new Set(ROUTES_DOCUMENTED.flatMap(({ parameters }) => parameters.map(({ name }) => name)))];

const encoded = (text: string): string => encodeURIComponent(text.replace(/\p{Surrogate}/gu, "\ufffd"));

/** The path of a route with anything in it and behind it; now and then the parameters that it needs. */
const pathOf = ({ path, parameters }: Documented): fc.Arbitrary<string> =>
  fc
    .record({
      inPath: fc.array(word, { minLength: 2, maxLength: 2 }),
      needed: fc.boolean(),
      own: fc.array(
        fc.tuple(parameters.length > 0 ? fc.constantFrom(...parameters.map(({ name }) => name)) : fc.constantFrom(...parameterNames), word),
        { maxLength: 5 },
      ),
      others: fc.array(fc.tuple(fc.oneof(fc.constantFrom(...parameterNames), word), word), { maxLength: 1 }),
    })
    .map(({ inPath, needed, own, others }) => {
      const filled = path.replace(/\{\w+\}/g, () => encoded(inPath[0] ?? ""));
      const base = needed ? parameters.filter((parameter) => parameter.in === "query" && parameter.required) : [];
      const given = new Map<string, string>(base.map(({ name, example }) => [name, name === "site_id" ? "fuzz.test" : String(example)]));
      for (const [name, value] of own) given.set(name, value);
      const pairs = [...given, ...others].map(([name, value]) => `${encoded(name)}=${encoded(value)}`);
      return pairs.length > 0 ? `${filled}?${pairs.join("&")}` : filled;
    });

/** Two slashes at its beginning would make the rest a host. */
const ownPath = (path: string): string => path.replace(/^[/\\]+/, "/");

const anyPath = fc.oneof(
  fc.array(word, { maxLength: 4 }).map((parts) => ownPath(`/${parts.map(encoded).join("/")}`)),
  fc
    .string({ unit: fc.constantFrom("/", ".", "%", "?", "#", "&", "=", ";", "a", "2", "e", "\\", ":", "@"), maxLength: 30 })
    .map((text) => ownPath(`/${text}`)),
);

const jsonBody = fc.oneof(
  fc
    .dictionary(
      fc.constantFrom("d", "n", "u", "r", "w", "p", "ra", "rc", "password", "name", "scope", "__proto__"),
      fc.oneof(word, fc.jsonValue()),
      { maxKeys: 3 },
    )
    .map((fields) => JSON.stringify({ d: "fuzz.test", n: "pageview", u: "/", ...fields })),
  fc.json(),
);

const body = fc.oneof(
  { weight: 4, arbitrary: jsonBody },
  { weight: 1, arbitrary: fc.string({ unit: character, maxLength: 200 }) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }) },
  { weight: 1, arbitrary: fc.constantFrom("", "{", "[".repeat(3_000), `{"d":"${"x".repeat(70_000)}"}`) },
);

const METHODS = ["GET", "HEAD", "POST", "DELETE", "OPTIONS", "PUT", "PATCH", "PROPFIND"] as const;

/** Without one, most would be refused at the door. */
type Credential = "none" | "admin" | "reader";

const EVENTS = ROUTES_DOCUMENTED.filter(({ path }) => path === "/api/event");

const wild: fc.Arbitrary<Wild & { readonly credential: Credential }> = fc
  .oneof({ weight: 5, arbitrary: fc.constantFrom(...ROUTES_DOCUMENTED) }, { weight: 1, arbitrary: fc.constantFrom(...EVENTS) })
  .chain((route) =>
    fc.record({
      method: fc.oneof({ weight: 8, arbitrary: fc.constant(route.method) }, { weight: 1, arbitrary: fc.constantFrom(...METHODS) }),
      path: fc.oneof({ weight: 12, arbitrary: pathOf(route) }, { weight: 1, arbitrary: anyPath }),
      headers: fc.array(fc.tuple(fc.constantFrom(...HEADER_NAMES), headerText), { maxLength: 4 }),
      body,
      credential: fc.constantFrom<Credential>("none", "admin", "admin", "reader"),
    }),
  );

/** What nobody outside needs to know. The page and the scripts are programs, and free to hold such words. */
const INSIDE = /\n\s+at \S|\.[jt]s:\d|node_modules|TypeError|RangeError|ReferenceError|SELECT |block_\d|duckdb/i;

const textual = (response: Response): boolean => /json|text\/plain/.test(response.headers.get("content-type") ?? "");

describe("random requests", () => {
  let target: InProcessTarget;
  let credentials: Readonly<Record<Credential, RequestHeaders>>;
  beforeAll(async () => {
    target = await createInProcessTarget({
      SVC_ADMIN_PASSWORD: PASSWORD,
      SVC_CACHE_TTL_SECS: "60",
      SVC_TRUST_PROXY: "1",
      SVC_DASHBOARD_ORIGIN: "https://page.test",
    });
    const session = { ...(await logIn(target)), origin: "https://page.test" };
    const [admin, reader] = [await createKey(target, session, "Admin"), await createKey(target, session, "ReadOnly")];
    credentials = { none: {}, admin: withKey(admin.key), reader: withKey(reader.key) };
    for (const n of ["pageview", "signup"]) await post(target, wireEvent("fuzz.test", { n, p: '{"plan":"pro"}', ra: 1, rc: "EUR" }));
  });
  afterAll(() => target.close());

  async function send({
    method,
    path,
    headers,
    body: content,
    credential,
  }: Wild & { readonly credential: Credential }): Promise<Response | null> {
    const init = new Headers({ "user-agent": CHROME_WINDOWS });
    for (const [name, value] of headers) init.set(name, value);
    for (const [name, value] of Object.entries(credentials[credential])) init.set(name, value);
    const bodiless = method === "GET" || method === "HEAD";
    if (!URL.canParse(path, "http://sandpiper.test")) return null;
    let timeout: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timeout = setTimeout(() => reject(new Error(`no answer within ${ANSWER_MS_MAX} ms`)), ANSWER_MS_MAX);
    });
    try {
      return await Promise.race([target.fetch(path, { method, headers: init, ...(bodiless ? {} : { body: content as BodyInit }) }), late]);
    } finally {
      clearTimeout(timeout);
    }
  }

  it(`random requests get documented responses and never an internal error (FUZZ_SEED=${SEED}, ${REQUESTS} requests)`, async () => {
    const statuses = new Map<number, number>();
    const document = openapiDocument(ROUTES);
    await fc.assert(
      fc.asyncProperty(wild, async (request) => {
        const response = await send(request);
        if (!response) return;
        const { status } = response;
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        const copy = response.clone();
        const text = await response.text();
        expect(status === 503 ? 0 : status, text).toBeLessThan(500);
        if (textual(copy)) expect(text).not.toMatch(INSIDE);
        for (const name of ["x-request-id", "x-content-type-options", "referrer-policy"])
          expect(copy.headers.get(name), name).not.toBeNull();
        const { pathname } = new URL(request.path, "http://sandpiper.test");
        const route = ROUTES_DOCUMENTED.find((known) => known.method === request.method && known.path === pathname);
        const foreign = copy.headers.has("access-control-allow-origin");
        // What a page of another origin is told depends on the page.
        if (route && !foreign) expect(await answerProblems(document, route, copy)).toEqual([]);
      }),
      { seed: SEED, numRuns: REQUESTS, endOnFailure: true },
    );
    expect(target.log.lines.filter(({ level }) => level === "error")).toEqual([]);
    // Otherwise they did not get far enough to try anything.
    for (const status of [200, 202, 400, 401, 403, 404, 405, 422])
      expect(statuses.get(status) ?? 0, `answers ${status}`).toBeGreaterThan(0);
    process.stdout.write(`FUZZ_SEED=${SEED}: ${JSON.stringify(Object.fromEntries(statuses))}\n`);
  }, 120_000);
});
