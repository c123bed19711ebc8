/** Web server logs: which lines are page views, what they carry, and why the others are left out. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { IMPORT_LINE_BYTES_MAX } from "../../../../../src/runtime/base/config/limits.ts";
import type { Hit, Row } from "../../../../../src/runtime/imports/rows.ts";
import type { ImportContext, Recognition, Refusal } from "../../../../../src/runtime/imports/formats/format.ts";
import { nginxLayout } from "../../../../../src/runtime/imports/formats/logs/nginx.ts";
import { createRequestReader } from "../../../../../src/runtime/imports/formats/logs/request.ts";
import { layoutNamed, SERVER_LOG_FORMATS } from "../../../../../src/runtime/imports/formats/logs/server-logs.ts";
import { GROWTH_MAX, growthOf, SIZE_RATIO } from "../../../../support/growth.ts";
import { chunksOf, CONTEXT, fileOf, fixture, openingsOf, rowsOf, streamedFile } from "../../../../support/import-files.ts";

const FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0";
const CHROME = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36";

/** What all formats together say about the files, in the order in which they claim them. */
async function recognizedLogs(
  files: Parameters<typeof openingsOf>[0],
  context: Partial<ImportContext> = {},
): Promise<readonly (Recognition | Refusal)[]> {
  const openings = await openingsOf(files);
  const found: (Recognition | Refusal)[] = [];
  for (const format of SERVER_LOG_FORMATS) found.push(...(await format.recognize(openings, { ...CONTEXT, ...context }, async () => {})));
  return found;
}

async function onlyRecognition(path: string, context: Partial<ImportContext> = {}): Promise<Recognition> {
  const [found, ...others] = await recognizedLogs([fileOf(path, fixture(path))], context);
  expect(others).toEqual([]);
  return found as Recognition;
}

const rowsIn = async (path: string, context: Partial<ImportContext> = {}): Promise<Row[]> => rowsOf(await onlyRecognition(path, context));

const hitsAmong = (rows: readonly Row[]): Hit[] => rows.filter((row) => row.kind === "hit");

/** What was not a hit, as "line reason". */
const othersAmong = (rows: readonly Row[]): string[] =>
  rows.flatMap((row) => (row.kind === "bad" || row.kind === "left out" ? [`${row.line} ${row.reason}`] : []));

const pagesAmong = (rows: readonly Row[]): string[] =>
  hitsAmong(rows).map(
    ({ atMs, hostname, path, clientAddress }) => `${new Date(atMs).toISOString()} ${hostname ?? ""}${path} ${clientAddress}`,
  );

describe("server logs: combined and common", () => {
  it("combined: page views are successful GET requests of browsers for documents; all else is counted by reason", async () => {
    const rows = await rowsIn("combined-log/access.txt");
    expect(pagesAmong(rows)).toEqual([
      "2024-03-05T22:59:58.000Z /café?utm_source=news&gclid=1 203.0.113.7",
      "2024-03-05T23:00:09.000Z /account 198.51.100.20",
      "2024-03-05T23:00:20.000Z /pricing 203.0.113.9",
      "2024-03-05T23:00:21.000Z /pricing 203.0.113.10",
    ]);
    expect(othersAmong(rows)).toEqual([
      ...["2 static_file", "4 method", "5 redirect", "6 error", "7 bot", "8 no_user_agent", "9 not_a_request", "10 not_a_request"],
      ...["13 not_a_log_line", "14 bad_date", "15 date_out_of_range", "16 unclosed_quote"],
    ]);
  });

  it("combined: a hit has the visitor's address and User-Agent as its identity, and the referrer unescaped", async () => {
    const [first] = hitsAmong(await rowsIn("combined-log/access.txt"));
    expect(first).toEqual({
      kind: "hit",
      line: 1,
      atMs: Date.UTC(2024, 2, 5, 22, 59, 58),
      visitor: `203.0.113.7|${FIREFOX}`,
      clientAddress: "203.0.113.7",
      name: "pageview",
      hostname: null,
      path: "/café?utm_source=news&gclid=1",
      referrer: 'https://search.example/?q="tea"',
      userAgent: FIREFOX,
    });
  });

  it("combined: the host of the import is assumed where a log has none", async () => {
    const recognition = await onlyRecognition("combined-log/access.txt", { hostname: "shop.example" });
    expect(recognition).toMatchObject({ format: "combined-log", generation: "combined log format", rows: "hits" });
    expect(recognition.lost.at(-1)).toBe("This log has no host names. The host name shop.example is assumed.");
    expect(hitsAmong(await rowsOf(recognition))[0]?.hostname).toBe("shop.example");
  });

  it("combined with hosts: the host stands in front, with or without port, also before a list of clients", async () => {
    const rows = await rowsIn("combined-log/hosts.txt");
    expect(pagesAmong(rows)).toEqual([
      "2024-03-06T10:00:00.000Z shop.example/ 203.0.113.7",
      "2024-03-06T10:00:05.000Z blog.example/a/ 203.0.113.7",
      "2024-03-06T10:00:06.000Z shop.example/b 198.51.100.4",
      "2024-03-06T10:00:07.000Z 192.0.2.1/c null",
    ]);
    expect(hitsAmong(rows).at(-1)?.visitor).toBeNull();
  });

  it("common: visitors are told apart by address or host name alone, and the recognition says what that costs", async () => {
    const recognition = await onlyRecognition("common-log/access.txt");
    expect(recognition.generation).toBe("common log format");
    expect(recognition.lost.join(" ")).toMatch(/no referrers.*no User-Agents.*bots are counted.*no host names/);
    const rows = await rowsOf(recognition);
    expect(hitsAmong(rows).map(({ visitor, path }) => `${visitor} ${path}`)).toEqual([
      "dialup.isp.example| /history/",
      "198.51.100.1| /index.html",
    ]);
    expect(othersAmong(rows)).toEqual(["2 static_file"]);
  });

  it("Traefik: reads its common log format, also with an unbalanced quotation mark", async () => {
    const recognition = await onlyRecognition("traefik-log/access.txt");
    expect(recognition.generation).toBe("Traefik common log format");
    expect(pagesAmong(await rowsOf(recognition))).toEqual([
      "2024-03-06T10:00:00.000Z /docs 203.0.113.7",
      "2024-03-06T10:00:01.000Z /docs/start 203.0.113.8",
    ]);
  });
});

describe("server logs: JSON and LTSV", () => {
  it("Traefik JSON: leaves out prefetched pages, and a line that is cut", async () => {
    const rows = await rowsIn("traefik-log/access.jsonl");
    expect(hitsAmong(rows)).toMatchObject([
      {
        atMs: Date.UTC(2024, 2, 6, 10, 0, 0, 250),
        hostname: "shop.example",
        path: "/cart?utm_medium=mail",
        referrer: "https://mail.example/",
      },
    ]);
    expect(othersAmong(rows)).toEqual(["2 prefetch", "3 not_json"]);
  });

  it("Caddy: reads times as seconds, milliseconds and text, and leaves out responses that are no documents", async () => {
    const rows = await rowsIn("caddy-log/access.txt");
    expect(pagesAmong(rows)).toEqual([
      "2024-03-06T10:00:00.125Z shop.example/?fbclid=x 203.0.113.7",
      "2024-03-06T10:00:02.000Z shop.example/old-caddy 203.0.113.8",
    ]);
    expect(othersAmong(rows)).toEqual(["2 static_file", "4 no_user_agent"]);
  });

  it("Caddy: reads objects that span several lines", async () => {
    expect(pagesAmong(await rowsIn("caddy-log/readable.txt"))).toEqual([
      "2024-03-06T10:00:00.125Z shop.example/readable 203.0.113.7",
      "2024-03-06T10:00:05.000Z shop.example/two 203.0.113.8",
    ]);
  });

  it("Caddy: an object of blank lines has an end", () => {
    const reader = layoutNamed("caddy-log", null)?.open(null);
    expect(reader?.read("{")).toBeNull();
    let lines = 0;
    while (lines <= IMPORT_LINE_BYTES_MAX && reader?.read("") === null) lines++;
    expect(lines).toBeLessThan(IMPORT_LINE_BYTES_MAX);
  });

  it("LTSV: `host` is the client, or the page's host where another label has the client", async () => {
    const rows = await rowsIn("ltsv-log/access.txt");
    expect(pagesAmong(rows)).toEqual([
      "2024-03-06T10:00:00.000Z shop.example/ltsv?a=1 203.0.113.7",
      "2024-03-06T10:00:01.000Z blog.example/b 203.0.113.8",
    ]);
    expect(othersAmong(rows)).toEqual(["3 missing_value"]);
  });
});

describe("server logs: clouds and IIS", () => {
  it("CloudFront: decodes values that are encoded once or twice, and takes the host of the request", async () => {
    const rows = await rowsIn("cloudfront-log/standard.txt");
    expect(hitsAmong(rows)).toMatchObject([
      {
        hostname: "shop.example",
        path: "/caf%C3%A9?utm_source=news",
        userAgent: FIREFOX,
        identity: "REQ1==",
        referrer: "https://search.example/",
      },
      { hostname: "shop.example", path: "/plain", userAgent: CHROME, identity: "REQ2==", referrer: null },
    ]);
    expect(othersAmong(rows)).toEqual(["5 static_file", "6 wrong_field_count"]);
  });

  it.each(["cloudfront-log/standard-2.jsonl", "cloudfront-log/standard-2.parquet"])(
    "CloudFront 2: reads %s by the names of fields",
    async (path) => {
      const rows = await rowsIn(path);
      expect(pagesAmong(rows)).toEqual(["2024-03-06T10:00:00.500Z shop.example/v2?a=1 203.0.113.7"]);
      expect(othersAmong(rows)).toEqual(["2 static_file"]);
    },
  );

  it("CloudFront 2: a log without pages or User-Agents is refused with the fields to add", async () => {
    const path = "cloudfront-log/without-pages.jsonl";
    const [refusal] = await recognizedLogs([fileOf(path, fixture(path))]);
    expect(refusal).toMatchObject({
      paths: [path],
      advice: "This CloudFront log has no cs-uri-stem, cs(User-Agent). Add these fields to the distribution's standard logging.",
    });
  });

  it("AWS load balancers: takes the time of the request, not that of the response, and reads classic ones too", async () => {
    const rows = await rowsIn("aws-load-balancer-log/access.txt");
    expect(pagesAmong(rows)).toEqual([
      "2024-03-06T10:00:00.364Z shop.example/cart?step=1 203.0.113.7",
      "2024-03-06T10:00:08.000Z shop.example/classic 203.0.113.9",
    ]);
    expect(othersAmong(rows)).toEqual(["3 not_a_request", "4 bot"]);
  });

  it("IIS: follows fields that change within the file, and reports rows that do not fit them", async () => {
    const rows = await rowsIn("iis-log/u_ex.txt");
    expect(hitsAmong(rows)).toMatchObject([
      { line: 5, path: "/my%20page?q=100", userAgent: FIREFOX, hostname: null },
      {
        line: 9,
        path: "/",
        userAgent: CHROME,
        hostname: "shop.example",
        clientAddress: "2001:db8::7",
        referrer: "https://search.example/",
      },
    ]);
    expect(othersAmong(rows)).toEqual(["6 wrong_field_count", "10 no_user_agent"]);
  });
});

const SPACED = '$host $time_iso8601 $remote_addr $remote_user $request $status "$http_referer" "$http_user_agent" $request_id';

const DIRECTIVE = `log_format json escape=json '{"time":"$msec","client":"$remote_addr","for":"$http_x_forwarded_for",'
  '"method":"$request_method","url":"$host$request_uri","status":$status,"ua":"$http_user_agent","type":"$sent_http_content_type"}';`;

describe("server logs: an nginx log_format of the site's own", () => {
  it("reads values with blanks between others, and the identity of the request", async () => {
    const read = await rowsIn("nginx-log/custom.txt", { logFormat: SPACED });
    expect(hitsAmong(read)).toMatchObject([
      { hostname: "shop.example", path: "/a b?x=1", clientAddress: "203.0.113.7", identity: "req-1" },
    ]);
    expect(othersAmong(read)).toEqual(["2 static_file", "3 not_a_log_line"]);
  });

  it("reads a whole directive in several strings, escaped as JSON", async () => {
    const rows = await rowsIn("nginx-log/custom.jsonl", { logFormat: DIRECTIVE });
    expect(pagesAmong(rows)).toEqual(['2024-03-06T10:00:00.125Z shop.example/p?y="2" 203.0.113.7']);
    expect(othersAmong(rows)).toEqual(["2 static_file"]);
  });

  it.each([
    ["$remote_addr $request", "The log_format needs a time ($time_local, $time_iso8601 or $msec) and $status"],
    ["$time_local$request $status", "The log_format has nothing between $time_local and $request, so their values cannot be told apart"],
  ])("refuses %s", (logFormat, message) => {
    expect(() => nginxLayout(logFormat)).toThrow(message);
  });
});

const FIXTURES = [
  ...[
    "combined-log/access.txt",
    "combined-log/hosts.txt",
    "traefik-log/access.jsonl",
    "caddy-log/readable.txt",
    "cloudfront-log/standard.txt",
  ],
  ...["aws-load-balancer-log/access.txt", "iis-log/u_ex.txt", "ltsv-log/access.txt"],
];

describe("server logs: the address that verifies a crawler", () => {
  const AGENT = "GPTBot/1.2";
  const [THEIRS, OWN] = ["192.0.2.7", "203.0.113.5"];

  /** null where the line has no such address. */
  function addressOf(layoutName: string, line: string | object, logFormat: string | null = null): string | null {
    const text = typeof line === "string" ? line : JSON.stringify(line);
    const request = layoutNamed(layoutName, logFormat)?.open(null).read(text);
    if (typeof request !== "object" || request === null) throw new Error(`it has no request: ${String(request)}`);
    const row = createRequestReader({ hostname: null, nowMs: Date.UTC(2026, 2, 15) })(request, 1, text);
    if (row.kind !== "crawl") throw new Error(`it is no crawl: ${row.kind}`);
    return row.address;
  }

  const TIME = "12/Mar/2026:10:00:00 +0000";
  const REST = `[${TIME}] "GET /docs HTTP/1.1" 200 5 "-" "${AGENT}"`;

  it("common and combined: stands alone, whatever a client writes into headers before or behind it", () => {
    const address = (head: string): string | null => addressOf("combined-log", `${head} ${REST}`);
    const sure = [`${THEIRS} - -`, `${THEIRS} - a user`, `example.com:443 ${THEIRS} - -`, `- ${THEIRS} - -`, `${THEIRS}:4711 - -`];
    expect(sure.map(address)).toEqual(sure.map(() => THEIRS));
    const forwarded = [`${THEIRS}, ${OWN}`, `${THEIRS}, unknown`, `${THEIRS}, unix:`, `${THEIRS}, -`, `"${THEIRS}" ${OWN}`];
    const more = [`${THEIRS} - x, ${OWN}`, `${THEIRS} - -, ${OWN}`, `${THEIRS} -, ${OWN}`, `x ${THEIRS}, ${OWN}`, `x ${THEIRS} - x ${OWN}`];
    expect([...forwarded, ...more].map((client) => address(`${client} - -`))).toEqual([...forwarded, ...more].map(() => null));
    expect(address(`${OWN} - ${THEIRS} - -`)).toBe(null);
  });

  it("Caddy and Traefik in JSON: is that of the connection, not the one that they take from headers", () => {
    const caddy = (request: object): string | null =>
      addressOf("caddy-log", {
        request: { method: "GET", uri: "/docs", headers: { "User-Agent": [AGENT] }, ...request },
        ts: "2026-03-12T10:00:00Z",
        status: 200,
      });
    expect(caddy({ remote_ip: THEIRS, client_ip: THEIRS })).toBe(THEIRS);
    expect(caddy({ remote_addr: `[2001:db8::1]:4711` })).toBe("2001:db8::1");
    expect(caddy({ remote_ip: OWN, client_ip: THEIRS, headers: { "User-Agent": [AGENT], "X-Forwarded-For": [THEIRS] } })).toBe(OWN);
    expect(caddy({ client_ip: THEIRS })).toBe(null);
    const traefik = (client: object): string | null =>
      addressOf("traefik-json-log", {
        ...{ RequestMethod: "GET", RequestPath: "/docs", DownstreamStatus: 200, "request_User-Agent": AGENT },
        ...{ StartUTC: "2026-03-12T10:00:00Z", ...client },
      });
    expect(traefik({ ClientAddr: `${THEIRS}:4711`, ClientHost: THEIRS })).toBe(THEIRS);
    expect(traefik({ ClientAddr: `${OWN}:4711`, ClientHost: THEIRS })).toBe(OWN);
    expect(traefik({ ClientHost: THEIRS })).toBe(null);
  });

  it("CloudFront, IIS and load balancers: is in a field of its own", () => {
    const fields = "#Fields: date time c-ip cs-method cs-uri-stem sc-status cs(User-Agent) x-forwarded-for";
    for (const [name, more] of [
      ["iis-log", ""],
      ["cloudfront-log", " x-edge-location"],
    ] as const) {
      const reader = layoutNamed(name, null)?.open(`${fields}${more}`);
      const request = reader?.read(`2026-03-12 10:00:00 ${OWN} GET /docs 200 ${AGENT} ${THEIRS}${more}`);
      expect(request).toMatchObject({ client: OWN, forwardedFor: THEIRS });
      expect(request).not.toHaveProperty("connection");
    }
    const balanced = `2026-03-12T10:00:00.000000Z app ${OWN}:4711 10.0.0.1:80 0 0 0 200 200 0 5 "GET http://a.test:80/ HTTP/1.1" "${AGENT}" - -`;
    expect(addressOf("aws-load-balancer-log", balanced)).toBe(OWN);
  });

  it.each([
    [
      `$remote_addr - $remote_user [$time_local] "$request" $status "$http_user_agent"`,
      `${OWN} - ${THEIRS} - - ${REST.replace(' 5 "-"', "")}`,
    ],
    [
      `"$http_x_forwarded_for" $host $remote_addr [$time_local] "$request" $status "$http_user_agent"`,
      `"${THEIRS}" a.test ${OWN} ${REST.replace(' 5 "-"', "")}`,
    ],
    [
      `log_format all escape=json '{"for":"$http_x_forwarded_for","ip":"$remote_addr","time":"$msec","page":"$request","status":$status,"agent":"$http_user_agent"}'`,
      `{"for":"x\\\\","ip":"${OWN}","time":"1773309600","page":"GET / HTTP/1.1","status":200,"agent":"${AGENT}"}`,
    ],
  ])("nginx: is sure in %j", (logFormat, line) => {
    expect(addressOf("nginx-log", line, logFormat)).toBe(OWN);
  });

  it.each([
    // A header with the rest of a line, and a name of a user with the beginning of one.
    [
      `$http_host $remote_addr - [$time_local] "$request" $status $http_user_agent`,
      `x ${THEIRS} - [${TIME}] "GET / HTTP/1.1" 200 ${AGENT}`,
    ],
    [
      `$http_x_forwarded_for $remote_addr - $remote_user [$time_local] "$request" $status "$http_user_agent"`,
      `x ${OWN} - ${THEIRS} - x ${REST.replace(' 5 "-"', "")}`,
    ],
    [
      `log_format all escape=none '"$http_x_forwarded_for" "$remote_addr" [$time_local] "$request" $status "$http_user_agent"'`,
      `"x" "${THEIRS}" ${REST.replace(' 5 "-"', "")}`,
    ],
    [`$time_iso8601 "$request" $status "$http_user_agent"`, `2026-03-12T10:00:00+00:00 "GET / HTTP/1.1" 200 "${AGENT}"`],
  ])("nginx: is not in %j, where a client can write it", (logFormat, line) => {
    expect(addressOf("nginx-log", line, logFormat)).toBe(null);
  });
});

describe("server logs: any input", () => {
  it("reads the same rows however the input is cut into chunks", async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...FIXTURES), fc.array(fc.nat(), { maxLength: 20 }), async (path, cuts) => {
        const chunks = chunksOf(fixture(path), cuts);
        const [found] = await recognizedLogs([streamedFile(path, chunks)]);
        expect(await rowsOf(found as Recognition)).toEqual(await rowsIn(path));
      }),
      { numRuns: 40 },
    );
  });

  it("every file is claimed by one format only, and files of others by none", async () => {
    const others = ["", "\n\n", "date,visitors\n2024-01-01,3\n", '{"a":1}\n', "<xml/>", "2024-01-01 GET /"];
    expect(await recognizedLogs(others.map((text, i) => fileOf(`other-${i}`, text)))).toEqual([]);
    for (const path of FIXTURES) expect(await recognizedLogs([fileOf(path, fixture(path))])).toHaveLength(1);
  });

  const START = '203.0.113.7 - - [05/Mar/2024:23:59:58 +0100] "';

  it.each([
    ["quotation marks", "", '"'],
    ["backslashes", START, "\\"],
    ["escaped quotation marks", START, '\\" '],
    ["addresses", "", "10.0.0.1, "],
    ["times", "", " [05/Mar/2024:23:59:58 +0100"],
    ["dots", `${START}GET /`, "a."],
    ["fields", "", "a:b\t"],
    ["blanks", "", " "],
    ["braces", "", "{"],
  ])("reads a line of %s in linear time with every layout", async (_, start, unit) => {
    const names = SERVER_LOG_FORMATS.map(({ name }) => layoutNamed(name, SPACED)).filter((layout) => layout !== null);
    const readRequest = createRequestReader(CONTEXT);
    for (const layout of names) {
      const read = (chars: number) => {
        const line = `${start}${unit.repeat(chars / unit.length)}" 200 1 "-" "${FIREFOX}"`;
        return () => {
          const request = layout.open(null).read(line);
          if (typeof request === "object" && request !== null) readRequest(request, 1, line);
        };
      };
      expect(await growthOf(read(50_000), read(50_000 * SIZE_RATIO)), layout.name).toBeLessThan(GROWTH_MAX);
    }
  });
});
