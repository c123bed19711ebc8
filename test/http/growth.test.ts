/**
 * What a client writes is read in linear time, wherever it writes it: in the path, the query, a header or the body. Each place
 * is filled with a size and with four times that, for every character that a parser may care about, and the times are compared
 * (`growth.ts`). Routes, parameters and fields are those of the service's own description, and headers those that the source
 * reads, so that new ones are tried as well. In one process, which has no limit of its own on lengths, and some over TCP.
 */
import { readdirSync, readFileSync } from "node:fs";
import { RE2JS } from "re2js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ROUTES } from "../../src/handlers/app.ts";
import { openapiDocument } from "../../src/handlers/openapi.ts";
import type { Parameter } from "../../src/handlers/openapi/operation.ts";
import { BODY_BYTES_MAX, CRAWL_REQUESTS_MAX } from "../../src/runtime/base/config/limits.ts";
import { CLOSED, createKey, logIn, withKey } from "../support/auth-requests.ts";
import { ATOMS, REPEATS } from "../support/expressions.ts";
import { type Clock, filled, growthOf, GROWTH_MAX, SIZE_RATIO, wallTimeOf } from "../support/growth.ts";
import { createInProcessTarget, IN_PROCESS_ORIGIN } from "../support/in-process-target.ts";
import { createNodeTarget, type NodeTarget } from "../support/node-target.ts";
import {
  alternativeValues,
  bodySchemaOf,
  documentedIn,
  pathWith,
  requiredValues,
  type Documented,
  type Values,
} from "../support/openapi.ts";
import { connectRaw } from "../support/raw-connection.ts";
import { browserHeaders, wireEvent, type RequestHeaders } from "../support/requests.ts";
import type { Target, TargetRequest } from "../support/target.ts";
import { ofTier } from "../support/tier.ts";
import { GOOGLEBOT } from "../support/user-agents.ts";

const SITE = "growth.test";

const DOCUMENT = openapiDocument(ROUTES);
const DOCUMENTED = documentedIn(DOCUMENT);

/** Larger ones are refused where there is a limit, which is there for that reason. */
const PATH_CHARS = 32_000;
const PARAMETER_CHARS = 40_000;
const HEADER_CHARS = 40_000;
const BODY_CHARS = BODY_BYTES_MAX - 1_000;

/** As long as an expression may be. */
const EXPRESSION_CHARS = 240;

/** What texts are filled with. */
const UNITS = [
  "a",
  "1",
  " ",
  "*",
  ",",
  ";",
  "=",
  "!",
  "(",
  "?",
  ".",
  "-",
  ":",
  "/",
  "%",
  "%2C",
  "+",
  "&",
  '"',
  "\\",
  "\\u",
  "é",
  "a.",
  "a,",
  "a=b;",
];

/** An expression of about this length by each atom and each way to repeat it, the more often the longer it is. */
const EXPRESSIONS: Readonly<Record<string, (length: number) => string>> = Object.fromEntries(
  ATOMS.flatMap((atom) =>
    REPEATS.map((repeat) => [
      repeat(`${atom}…`, 4),
      (length: number) => repeat(atom.repeat(Math.floor((length - 20) / atom.length)), 4 * length),
    ]),
  ),
);

/** Routes read a parameter or field of the same name and rules with the same code: until the night, one of them is enough. */
function onceEach<Case extends { readonly name: string }>(cases: readonly Case[], rulesOf: (each: Case) => unknown): readonly Case[] {
  const byRules = new Map(cases.map((each) => [JSON.stringify([each.name, rulesOf(each)]), each]));
  const once = [...byRules.values()];
  return ofTier({ quick: once, all: once, nightly: cases });
}

/** Passes if the cost of text of this length and of a quarter of it is linear, for each way to make it. */
async function expectLinear(length: number, fillings: Readonly<Record<string, (length: number) => unknown>>, clock?: Clock): Promise<void> {
  for (const [name, run] of Object.entries(fillings)) {
    const growth = await growthOf(
      () => run(length / SIZE_RATIO),
      () => run(length),
      GROWTH_MAX,
      clock,
    );
    expect(growth, `four times as much takes ${growth.toFixed(1)} times as long: ${name}`).toBeLessThan(GROWTH_MAX);
  }
}

/** The beginning of a text that is as long in a request as the text itself: "é" takes six characters there, "%" three. */
const asWritten = (text: string): string => text.slice(0, Math.ceil(text.length ** 2 / encodeURIComponent(text).length));

/** One way for each unit, and for each beginning. */
const fillingsBy = (
  use: (text: string) => unknown,
  starts: readonly string[] = [""],
  units = UNITS,
): Record<string, (length: number) => unknown> =>
  Object.fromEntries(
    units.flatMap((unit) =>
      starts.map((start) => [JSON.stringify(`${start}${unit}…`), (length: number) => use(filled(length, unit, start))]),
    ),
  );

describe("the check of linear cost", () => {
  /** Measures in all rounds: a first run of the small size that is slow must not end the measurement of a cost that grows too fast. */
  const fullGrowthOf = (length: number, run: (length: number) => unknown): Promise<number> =>
    growthOf(
      () => run(length / SIZE_RATIO),
      () => run(length),
      0,
    );

  it("the check of linear cost rejects a quadratic cost", async () => {
    const count = (text: string) => text.replace(/\/+$/, "").length;
    expect(await fullGrowthOf(32_000, (length) => count(filled(length, "/")))).toBeGreaterThan(GROWTH_MAX);
  });

  it("the check of linear cost rejects the cost of an expression that is compiled before it is refused", async () => {
    for (const [name, make] of Object.entries(EXPRESSIONS).filter(([known]) => known.startsWith("(()") || known.startsWith("(ab")))
      expect(await fullGrowthOf(EXPRESSION_CHARS, (length) => RE2JS.compile(make(length))), name).toBeGreaterThan(GROWTH_MAX);
  });

  it("the check of linear cost accepts a linear cost", async () => {
    await expectLinear(160_000, { "slashes before something else": (length) => filled(length, "/").split("/").length });
  });
});

describe("the cost of a request is linear in", () => {
  let target: Target;
  let session: RequestHeaders;
  beforeAll(async () => {
    // All that makes the service read a header, and no flush in between.
    target = await createInProcessTarget({
      ...CLOSED,
      SVC_TRUST_PROXY: "2",
      SVC_DASHBOARD_ORIGIN: "https://dashboard.test",
      SVC_SITE_IDS: SITE,
      SVC_METRICS_TOKEN: "metrics-token",
      SVC_MAX_LOGIN_ATTEMPTS: "0",
      SVC_FLUSH_EVENT_COUNT: "100000",
    });
    session = await logIn(target);
  });
  afterAll(() => target.close());

  const send = async (path: string, init: TargetRequest = {}): Promise<number> => {
    // With the origin before it, for two slashes at the beginning of a path would make a host of what follows.
    const response = await target.fetch(`${IN_PROCESS_ORIGIN}${path}`, {
      ...init,
      headers: browserHeaders({ ...session, origin: "https://dashboard.test", ...(init.headers as RequestHeaders) }),
    });
    await response.arrayBuffer();
    expect(response.status).toBeLessThan(500);
    return response.status;
  };

  const PATHS = DOCUMENTED.map(({ path }) => path);
  const PARAMETRISED = PATHS.filter((path) => path.includes("{")).map((path) => path.replace(/\{.*/, ""));
  const PATH_UNITS = ["a", "/", "a/", ".", "./", "../", "a/../", ":", "%", "%2F", "%2e/", "*", ";", "\\", "é/"];

  it.each(["/", "/api/", ...new Set(PARAMETRISED)])("the path behind %s", async (prefix) => {
    await expectLinear(
      PATH_CHARS,
      fillingsBy((text) => send(`${prefix}${text}`), ["", "/"], PATH_UNITS),
    );
  });

  it("a suffix after the path of each route", async () => {
    for (const path of new Set(PATHS))
      await expectLinear(
        PATH_CHARS,
        fillingsBy((text) => send(`${path}${text}`), [""], ["/", "a/", "a"]),
      );
  });

  it("the path, with any method", async () => {
    for (const method of ["POST", "DELETE", "OPTIONS", "HEAD", "PUT"]) {
      await expectLinear(
        PATH_CHARS,
        fillingsBy((text) => send(`/${text}`, { method }), [""], ["/", "a/"]),
      );
    }
  });

  it("the query as a whole", async () => {
    for (const path of ["/api/stats/main", "/api/event", "/"]) {
      await expectLinear(PARAMETER_CHARS, {
        ...fillingsBy(
          (text) => send(`${path}?${asWritten(text)}`),
          ["", "site_id=a&"],
          ["a", "=", "&", "?", "%", "%41", "+", ";", "é", "a&", "a=1&", "site_id=a&", "d=a&"],
        ),
        "many different parameters": (length) =>
          send(`${path}?${Array.from({ length: length / 8 }, (_, i) => `p${i.toString(36)}=1`).join("&")}`),
        "a long name": (length) => send(`${path}?${filled(length, "a")}=1`),
      });
    }
  });

  /** A date alone is refused before it is read, so each has half of the value. */
  const valuesOf = (name: string, value: string): Values => {
    if (name !== "start_date" && name !== "end_date") return { [name]: value };
    const half = value.slice(0, Math.ceil(value.length / 2));
    return { start_date: half, end_date: half };
  };

  const PARAMETERS = DOCUMENTED.flatMap((route) =>
    route.parameters.map((parameter) => ({ id: route.id, name: parameter.name, route, parameter })),
  );

  /** What a right value is made of, over and over. */
  const exampleUnits = ({ example }: Parameter): string[] =>
    example === undefined ? [] : [`${String(example)},`, `${String(example)};`, String(example)];

  const ask = ({ method, ...route }: Documented, name: string, value: string): Promise<number> =>
    send(
      pathWith(route, {
        ...requiredValues({ method, ...route }),
        ...alternativeValues({ method, ...route }, name),
        ...valuesOf(name, value),
      }),
      { method },
    );

  it.each(onceEach(PARAMETERS, ({ parameter }) => [parameter.in, parameter.schema]))("$id: $name", async ({ route, parameter, name }) => {
    await expectLinear(
      PARAMETER_CHARS,
      fillingsBy((text) => ask(route, name, asWritten(text)), [""], [...UNITS, ...exampleUnits(parameter)]),
    );
  });

  it("a regular expression, with what it repeats", async () => {
    const filterBy = (expression: string) =>
      send(
        `/api/stats/main?${new URLSearchParams({ site_id: SITE, filters: `pages=matches=${encodeURIComponent(expression)}` }).toString()}`,
      );
    await expectLinear(
      EXPRESSION_CHARS,
      Object.fromEntries(Object.entries(EXPRESSIONS).map(([name, make]) => [name, (length: number) => filterBy(make(length))])),
    );
  });

  /** Read off the source, so that none is forgotten. */
  const HEADERS = [
    ...new Set(
      readdirSync("src/handlers", { recursive: true, encoding: "utf8" })
        .filter((path) => path.endsWith(".ts"))
        .flatMap((path) => [...readFileSync(`src/handlers/${path}`, "utf8").matchAll(/headers\.(?:get|has)\("([\w-]+)"\)/g)])
        .map(([, name = ""]) => name),
    ),
  ];

  /** What makes a parser read on. */
  const HEADER_STARTS: Readonly<Record<string, readonly string[]>> = {
    authorization: ["Bearer ", "Bearer svc_"],
    cookie: ["svc_session=", "a; svc_session"],
    origin: ["http://", "http://xn--", "https://a/"],
    referer: ["http://", "http://xn--", "https://a/"],
    "sec-ch-ua": ['"', '"a" '],
    "sec-ch-ua-platform": ['"'],
    "x-api-key": ["svc_"],
    "x-forwarded-for": ["[", "1.", ","],
    "accept-encoding": ["gzip;q="],
  };

  const HEADER_UNITS = [
    "a",
    "1",
    " ",
    ",",
    ";",
    "=",
    ".",
    "-",
    ":",
    "/",
    '"',
    "\\",
    '\\"',
    "*",
    "(",
    "é",
    "a.",
    "a,",
    "a=b;",
    "svc_session;",
    "svc_session=; ",
    'W/"a",',
    '"a";v="1",',
    '"a" ',
    "gzip;",
    "1.1.1.1,",
    "::",
    "%E4",
  ];

  /** Requests that read all of the headers between them. */
  const REQUESTS: readonly (readonly [path: string, init: TargetRequest])[] = [
    ["/api/event", { method: "POST", body: JSON.stringify(wireEvent(SITE)) }],
    [`/api/event?d=${SITE}&u=/`, {}],
    ["/api/event", { method: "OPTIONS" }],
    ["/api/auth/status", {}],
    ["/api/auth/login", { method: "POST", body: "{}" }],
    ["/api/keys/none", { method: "DELETE" }],
    ["/", {}],
    ["/metrics", {}],
  ];

  it("the list of headers that the service reads, which this test covers", () => {
    expect(HEADERS).toEqual(expect.arrayContaining(["cookie", "authorization", "origin", "user-agent", "x-forwarded-for"]));
  });

  it.each(HEADERS)("the header %s", async (name) => {
    const sendAll = async (value: string) => {
      for (const [path, init] of REQUESTS)
        await send(path, { ...init, headers: name === "origin" ? { origin: value } : { origin: "", [name]: value } });
    };
    await expectLinear(HEADER_CHARS, fillingsBy(sendAll, ["", ...(HEADER_STARTS[name] ?? [])], HEADER_UNITS));
  });

  it.each(["origin", "referer"])("a host in Punycode in the header %s", async (name) => {
    const sendAll = async (value: string) => {
      for (const [path, init] of REQUESTS) await send(path, { ...init, headers: { origin: "", [name]: value } });
    };
    await expectLinear(HEADER_CHARS, {
      "many insertions": (length) => sendAll(`http://xn--${"a".repeat(length / 2)}-${"a".repeat(length / 2 - 20)}.test/`),
    });
  });

  it("the client address, which a platform may take from a header", async () => {
    const post = (from: string) => send("/api/event", { method: "POST", body: JSON.stringify(wireEvent(SITE)), from });
    await expectLinear(HEADER_CHARS, fillingsBy(post, ["", "[", "1."]));
  });

  const postEvent = (body: string) => send("/api/event", { method: "POST", body });

  /** Beginnings after which a field is taken for what it should be. */
  const FIELD_STARTS: Readonly<Record<string, readonly string[]>> = {
    u: ["", "/", "http://", "http://xn--", "http://a/", "http://a/?utm_source=", "http://a/?%"],
    r: ["", "http://", "http://xn--", "http://a/", "android-app://"],
    p: ["", '{"', '{"a":"', '{"a":'],
  };

  const PROPS: Readonly<Record<string, (length: number) => string>> = {
    "lists within lists": (length) => `{"a":${"[".repeat(length / 2 - 4)}${"]".repeat(length / 2 - 4)}}`,
    "objects within objects": (length) => `${'{"a":'.repeat(length / 6 - 1)}1${"}".repeat(length / 6 - 1)}`,
    "many keys": (length) => JSON.stringify(Object.fromEntries(Array.from({ length: length / 10 }, (_, i) => [`k${i}`, 1]))),
    "many keys with escapes": (length) => `{${Array.from({ length: length / 16 }, (_, i) => `"\\u00e9${i}":1`).join(",")}}`,
    "numbers as keys": (length) => `{${Array.from({ length: length / 12 }, (_, i) => `"${i * 1000}":1`).join(",")}}`,
    "one key over and over": (length) => `{${'"__proto__":1,'.repeat(length / 14 - 1)}"a":1}`,
    "long numbers": (length) => `{"a":${"1".repeat(length - 10)}}`,
    "many numbers": (length) => `{"a":[${"1,".repeat(length / 2 - 6)}1]}`,
    spaces: (length) => `{"a":1${" ".repeat(length - 10)}}`,
  };

  const BODIES = DOCUMENTED.flatMap((route) =>
    Object.entries(bodySchemaOf(DOCUMENT, route)?.properties ?? {}).map(([name, schema]) => ({ id: route.id, name, route, schema })),
  );

  it.each(onceEach(BODIES, ({ schema }) => schema))("$id: the field $name", async ({ route, name, schema: { maxLength } }) => {
    const page = { site_id: SITE, url: `https://${SITE}/`, script_url: "https://stats.example.com/svc.js" };
    const base = route.path === "/api/event" ? wireEvent(SITE) : { name: "a", scope: "Admin", password: "a", ...page };
    const post = (value: string) => send(route.path, { method: "POST", body: JSON.stringify({ ...base, [name]: value }) });
    const starts = FIELD_STARTS[name] ?? [""];
    // Halved, as JSON may write a character as two.
    await expectLinear(BODY_CHARS / 2, fillingsBy(post, starts));
    if (maxLength !== undefined && maxLength > 100) await expectLinear(maxLength, fillingsBy(post, starts));
  });

  it("the custom properties of an event", async () => {
    const fillings = Object.fromEntries(
      Object.entries(PROPS).map(([name, make]) => [
        name,
        (length: number) => postEvent(JSON.stringify(wireEvent(SITE, { p: make(length) }))),
      ]),
    );
    await expectLinear(4096, fillings);
  });

  it("the requests of a batch of crawlers: their number, paths and names", async () => {
    let sent = 0;
    const report = (requests: readonly object[]) => {
      const time = new Date(target.nowMs()).toISOString();
      const batch = {
        batch_id: String(++sent),
        requests: requests.map((request) => ({ user_agent: "GPTBot/1.2", path: "/", time, ...request })),
      };
      return send(`/api/crawls?site_id=${SITE}`, { method: "POST", body: JSON.stringify(batch) });
    };
    await expectLinear(CRAWL_REQUESTS_MAX, {
      "different paths": (count) => report(Array.from({ length: count }, (_, i) => ({ path: `/${i}/${"a".repeat(100)}` }))),
      "different statuses": (count) => report(Array.from({ length: count }, (_, i) => ({ status: i }))),
      "nearly a crawler": (count) => report(Array.from({ length: count }, () => ({ user_agent: "GPTBo cohere-a ".repeat(30) }))),
    });
    await expectLinear(BODY_CHARS / 2, {
      ...fillingsBy((path) => report([{ path }]), ["", "/", "https://a/"], ["a", "/", "a/", "../", "%", "%2F", "?", "é", "\\"]),
      ...fillingsBy((text) => report([{ user_agent: text }]), ["", "GPTBot"], ["a", "GPTBo", "-", ".", "é"]),
      ...fillingsBy((time) => report([{ time }]), ["", "2026-03-15T12:00:00."], ["1", ".", "Z", "+01:00"]),
    });
  });

  it("the path that a bot is counted with", async () => {
    const post = (u: string) =>
      send("/api/event", { method: "POST", headers: { "user-agent": GOOGLEBOT }, body: JSON.stringify(wireEvent(SITE, { u })) });
    await postEvent(JSON.stringify(wireEvent(SITE)));
    await expectLinear(2000, fillingsBy(post, ["", "/", "https://a/"], ["a", "/", "../", "%", "%2F", "?", "é"]));
  });

  it("the arguments of a tool for agents", async () => {
    const { key } = await createKey(target, { ...session, origin: "https://dashboard.test" }, "ReadOnly");
    let calls = 0;
    const call = async (name: string, fields: object) => {
      const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: fields } };
      // An address may call a hundred times at once, and the clock stands still.
      const from = `10.0.${Math.floor(++calls / 256)}.${calls % 256}`;
      const status = await send("/api/mcp", { method: "POST", headers: withKey(key), body: JSON.stringify(message), from });
      expect(status).not.toBe(429);
      return status;
    };
    const asked = { site_id: SITE, dimension: "pages", period: "day" };
    expect(await call("breakdown", asked)).toBe(200);
    const units = ["a", "=", ";", ",", "%", "\\", "é", "pages==a;"];
    await expectLinear(BODY_CHARS / 4, {
      ...fillingsBy((text) => call(text, asked), [""], units),
      ...Object.fromEntries(
        ["site_id", "dimension", "filters", "lens"].flatMap((field) =>
          Object.entries(fillingsBy((text) => call("breakdown", { ...asked, [field]: text }), [""], units)).map(([name, run]) => [
            `${field} ${name}`,
            run,
          ]),
        ),
      ),
      "many arguments": (length) => call("breakdown", Object.fromEntries(Array.from({ length: length / 12 }, (_, i) => [`k${i}`, 1]))),
    });
  });

  it("the hosts of an event, with all characters distinct", async () => {
    const host = (length: number) => `http://${Array.from({ length }, (_, i) => String.fromCodePoint(0x4e00 + i)).join("")}/`;
    await expectLinear(2000, {
      u: (length) => postEvent(JSON.stringify(wireEvent(SITE, { u: host(length) }))),
      r: (length) => postEvent(JSON.stringify(wireEvent(SITE, { r: host(length) }))),
    });
  });

  it("the body of an event outside its fields", async () => {
    const event = JSON.stringify(wireEvent(SITE)).slice(1);
    await expectLinear(BODY_CHARS, {
      ...fillingsBy(postEvent),
      ...Object.fromEntries(
        Object.entries(PROPS).map(([name, make]) => [
          `${name}, in a field that nobody reads`,
          (length: number) => postEvent(`{"x":${make(length)},${event}`),
        ]),
      ),
      ...fillingsBy((text) => postEvent(`{"w":${text}`), ["", "1.", "1e", "-"], ["1", "0", " ", "-"]),
      "spaces between fields": (length) => postEvent(`{${" ".repeat(length)}${event}`),
      "one field over and over": (length) => postEvent(`{${'"d":"a",'.repeat(length / 8)}${event}`),
      "many fields": (length) => postEvent(`{${Array.from({ length: length / 10 }, (_, i) => `"k${i}":1,`).join("")}${event}`),
    });
  });
});

describe("over TCP, the cost of a request is linear in", () => {
  /** The server takes 64 KB of request line and headers. */
  const CHARS = 48_000;

  let target: NodeTarget;
  beforeAll(async () => {
    target = await createNodeTarget({ SVC_TRUST_PROXY: "2" });
  });
  afterAll(() => target.close());

  async function exchange(head: string): Promise<void> {
    const connection = connectRaw(target.origin());
    connection.write(`${head}\nConnection: close\n\n`);
    expect(await connection.closed()).toMatch(/^HTTP\/1\.1 [2-4]\d\d /);
  }

  it.each(["/", "/api/stats/breakdown/", "/assets/"])("the path behind %s, as it is written", async (prefix) => {
    const get = (text: string) => exchange(`GET ${prefix}${text} HTTP/1.1\nHost: a.test`);
    await expectLinear(
      CHARS,
      fillingsBy(get, [""], ["/", "a/", "./", "../", "a/../", "a/./", "%2e%2e/", "\\", "a", "%", "?", "#", ";", "http://"]),
      wallTimeOf,
    );
  });

  it("the host", async () => {
    const get = (text: string) => exchange(`GET / HTTP/1.1\nHost: ${text}`);
    await expectLinear(
      CHARS,
      {
        ...fillingsBy(get, ["", "xn--"], ["a", "1", ".", "-", ":", "[", "@", "%41", "a-", "xn--a.", "localhost."]),
        "Punycode with many insertions": (length) => get(`xn--${"a".repeat(length / 2)}-${"a".repeat(length / 2)}.test`),
        "characters each of which occurs once": (length) =>
          get(Array.from({ length: length / 9 }, (_, i) => encodeURIComponent(String.fromCodePoint(0x4e00 + i))).join("")),
      },
      wallTimeOf,
    );
  });

  it("the number of headers", async () => {
    await expectLinear(
      1_600,
      {
        "different ones": (count) =>
          exchange(`GET / HTTP/1.1\nHost: a.test\n${Array.from({ length: count }, (_, i) => `H${i}: 1`).join("\n")}`),
        "one over and over": (count) =>
          exchange(`GET / HTTP/1.1\nHost: a.test\n${Array.from({ length: count }, () => "X-Forwarded-For: 1").join("\n")}`),
      },
      wallTimeOf,
    );
  });
});
