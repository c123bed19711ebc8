/**
 * Which values of parameters and fields the document at /api/openapi.json lets through, against what the service takes. In one
 * process only: on every host the same code decides, and `stats-parameters.suite.ts` and `ingest-fields.suite.ts` try it there.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ROUTES } from "../../src/handlers/app.ts";
import { openapiDocument } from "../../src/handlers/openapi.ts";
import type { Parameter } from "../../src/handlers/openapi/operation.ts";
import type { Schema } from "../../src/runtime/base/json-schema.ts";
import { SESSION_DIMENSIONS } from "../../src/runtime/query/filters.ts";
import { CLOSED, logIn, PASSWORD } from "../support/auth-requests.ts";
import { createInProcessTarget } from "../support/in-process-target.ts";
import {
  allows,
  alternativeValues,
  answerProblems,
  bodySchemaOf,
  documentedIn,
  headersWith,
  isAlternative,
  isGet,
  isIngest,
  pathWith,
  requiredValues,
  valueOfText,
  type Documented,
  type Values,
} from "../support/openapi.ts";
import { browserHeaders, putSettings, type RequestHeaders } from "../support/requests.ts";
import type { Environment, Target } from "../support/target.ts";
import { recordEvents } from "./openapi-events.ts";

const SITE = "openapi-values.test";

/** The site of the badge in the document's example. */
const PUBLIC_SITE = "example.com";

const DOCUMENT = openapiDocument(ROUTES);

const ROUTES_DOCUMENTED = documentedIn(DOCUMENT);

/** Values that a parameter of this schema may or may not take: the schema says which. */
function candidatesFor({ example, schema }: Parameter): readonly string[] {
  if (schema.enum) return [...schema.enum, ...schema.enum.map((word) => word.toUpperCase()), "", "undocumented", " "];
  if (schema.type === "integer") {
    const { minimum = 0, maximum = 0 } = schema;
    return [...[minimum - 1, minimum, maximum, maximum + 1].map(String), "", "1.5", "+1", "1e2", "x", " 1"];
  }
  if (schema.type === "number") return ["0", "-1.5", "1e3", "", "x", "1,5", " 1", "0x10"];
  if (schema.format === "date") return ["2024-02-29", "2026-02-29", "2026-13-01", "2026-1-1", "20260101", "today", ""];
  const isAnyText = schema.pattern === undefined && schema.maxLength === undefined;
  return [
    String(example),
    ...(isAnyText ? ["undocumented", ""] : []),
    ...lengthsAround(schema, String(example)),
    ...(schema.pattern === undefined ? [] : spellingsFor(schema.pattern)),
  ];
}

/** The example made as short and as long as may be, and one character shorter and longer. */
function lengthsAround({ minLength = 0, maxLength }: Schema, example: string): string[] {
  const short = minLength === 0 ? [] : [example.slice(0, minLength), example.slice(0, minLength - 1), ""];
  if (maxLength === undefined) return short;
  return [...short, example.padEnd(maxLength, "a"), example.padEnd(maxLength + 1, "a")];
}

/** Texts that patterns of identifiers and of filters let through, and near misses of them. Bounds of values are said in words only. */
function spellingsFor(pattern: string): string[] {
  const word = ["a.b-c_d", "a:b", "a b", "a/b", "é", "a\n", "", "A1"];
  if (!pattern.includes("==")) return word;
  const condition = "browsers==Firefox";
  const many = (count: number) => Array.from({ length: count }, (_, i) => `browsers!=${i}`).join(";");
  const valueOf = (length: number) => `browsers==${"😀".repeat(length)}`;
  const listOf = (length: number) => `browsers=in=(${Array.from({ length }, (_, i) => i % 50).join(",")})`;
  const escapesOf = (length: number) => `browsers=contains=${"%41".repeat(length - 1)}%F0%9F%98%80`;
  return [
    ...word,
    ...[`${condition};`, `;${condition}`, `${condition};os!=x`, "browsers=Firefox", "browsers==", "Browsers==Firefox", "nothing==x"],
    ...["browsers===x", "browsers!==x", "browsers==a,b", "browsers==(unknown)", "entry-pages==/", "exit-pages!=/", "pathname==/"],
    ...["entry-page==/", "goal==x", "props:plan==pro", "props:%C3%A9==x", "props:==x", "props:%==x", "props:a!b==x", "props:a!=b==x"],
    ...["browsers=in=(a,b)", "browsers=!in=a,b", "browsers=in=()", "browsers=in=(a,)", "browsers=in=(", "browsers=in=(a,b", "browsers=in="],
    ...["browsers=in=(a", "browsers=in=a)", "browsers=in=)", "browsers=in=()x", "browsers=in=((a),b)", "os=in=(a;os==x", "os=in=(%2C,)"],
    ...[
      "browsers=!=x",
      "browsers=nothing=x",
      "browsers=in==x",
      "browsers=!contains=x;os=begins=(L,W)",
      "browsers=like=F*",
      "os=in=();os==x",
    ],
    ...["browsers=matches=^F.*x$", "os=contains=%", "os=contains=%FF", "os=contains=%zz", "os=contains=%C3%A9", "os=contains=%3B", "os==%"],
    ...[many(12), many(13), valueOf(512), listOf(100), escapesOf(512)],
  ];
}

const COMPARED = { compare: "custom", compare_start_date: "2026-01-01", compare_end_date: "2026-01-01" };

/** A date alone is refused, and a pair must be in order. The dates of a comparison need one with custom dates. Minutes need a short range, and some values the name of what they are of. */
function together(name: string, value: string): Values {
  if (name === "interval") return { period: "day", interval: value };
  if (name === "start_date" || name === "end_date") return { start_date: value, end_date: value };
  if (name === "compare_start_date" || name === "compare_end_date")
    return { ...COMPARED, compare_start_date: value, compare_end_date: value };
  if (name === "compare_same_time" || value === "custom") return { ...COMPARED, [name]: value };
  if (value === "revenue") return { [name]: value, currency: "USD" };
  if (name === "metric" && (value === "conversions" || value === "conversion_rate")) return { metric: value, goal: "Signup" };
  return { [name]: value };
}

/** Dimensions of sessions need an extension that a target may lack. */
const successesOf = (value: string): readonly number[] => ((SESSION_DIMENSIONS as readonly string[]).includes(value) ? [200, 503] : [200]);

const REFUSED: readonly number[] = [400, 422];

/** An empty part of a path makes another path, and headers lose the spaces around their values. */
const isSendable = (parameter: Parameter, value: string): boolean =>
  parameter.in === "path" ? value !== "" : parameter.in !== "header" || value === value.trim();

/** Whether there is something of that name is no matter of the name's form. */
const namesThing = ({ answers }: Documented, parameter: Parameter): boolean =>
  parameter.name === "idsite" || (parameter.in === "path" && "404" in answers);

const FIELD_VALUES: readonly unknown[] = [null, true, 0, -1.5, "", "a", "/", "a b", [], {}, "é", "ab:c"];

function fieldValues({ maxLength, enum: words = [] }: Schema): readonly unknown[] {
  if (words.length > 0) return [...FIELD_VALUES, ...words, ...words.map((word) => word.toUpperCase())];
  return maxLength === undefined ? FIELD_VALUES : [...FIELD_VALUES, "/".padEnd(maxLength, "a"), "/".padEnd(maxLength + 1, "a")];
}

/** How a route's bodies are sent, one after the other. */
interface Sending {
  readonly environment?: Environment;
  readonly base: (siteId: string) => object;
  /** What a body is answered that is as documented. */
  readonly accepted: readonly number[];
  readonly credentialOf?: (target: Target) => Promise<RequestHeaders>;
}

/** All but the setup's, which takes one body only: `auth.suite.ts` tries its bounds. */
const SENDING: Readonly<Record<string, Sending>> = {
  "POST /api/event": { base: (siteId) => ({ d: siteId, n: "checked", u: "/" }), accepted: [202] },
  "POST /api/auth/login": {
    environment: { ...CLOSED, SVC_MAX_LOGIN_ATTEMPTS: "0" },
    base: () => ({ password: PASSWORD }),
    accepted: [200, 401],
  },
  "POST /api/keys": { environment: CLOSED, base: () => ({ name: "checked", scope: "Admin" }), accepted: [201], credentialOf: logIn },
};

/** Parameters that are read only with what needs them, by the end of the route's path. */
const READ_WITH: Readonly<Record<string, Readonly<Record<string, Values>>>> = {
  breakdown: {
    goal: { columns: "conversions" },
    currency: { columns: "revenue" },
    unknown_label: { search: "a" },
    compare: { columns: "comparison" },
  },
  goals: { compare: { include: "comparison" } },
  conversions: { compare: { include: "comparison" } },
  revenue: { compare: { include: "comparison" } },
  timeseries: { currency: { include: "revenue" } },
};

const readWith = ({ id }: Documented, asked: string | null): Values => {
  const name = asked?.startsWith("compare") ? "compare" : (asked ?? "");
  return READ_WITH[/\/api\/stats\/([a-z-]+)/.exec(id)?.[1] ?? ""]?.[name] ?? {};
};

/** What a request of the route needs, asked of the site that has events. */
const needed = (route: Documented, asked: string | null = null): Values => ({
  ...requiredValues(route),
  ...readWith(route, asked),
  ...alternativeValues(route, asked),
  [isIngest(route) ? "d" : "site_id"]: SITE,
});

/**
 * Routes that answer nobody until there is a password, and then an administrator; and tags and badges, whose site an administrator names
 * or makes public.
 */
const ADMINS = new Set(
  ROUTES.filter(
    ({ access, path }) => access === "site" || access === "admin" || ["/count", "/matomo.php", "/badge/:file"].includes(path),
  ).map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, "{$1}")}`),
);

const PARAMETERS = ROUTES_DOCUMENTED.filter(isGet).flatMap((route) =>
  route.parameters
    .filter((parameter) => !namesThing(route, parameter))
    .map((parameter) => ({ id: route.id, name: parameter.name, route, parameter })),
);

const FIELDS = ROUTES_DOCUMENTED.flatMap((route) => {
  const { properties = {} } = bodySchemaOf(DOCUMENT, route) ?? {};
  const sending = SENDING[route.id];
  return sending ? Object.keys(properties).map((name) => ({ id: route.id, name, route, sending })) : [];
});

describe("the values that the OpenAPI document allows", () => {
  const targets = new Map<string, Target>();
  const targetOf = async (environment: Environment = {}): Promise<Target> => {
    const key = JSON.stringify(environment);
    const target = targets.get(key) ?? (await createInProcessTarget(environment));
    targets.set(key, target);
    return target;
  };

  /** Asks as one who may. */
  const getPath = async (route: Documented, path: string, headers: RequestHeaders = {}): Promise<Response> => {
    const isAdmins = ADMINS.has(route.id);
    return (await targetOf(isAdmins ? CLOSED : {})).fetch(path, { headers: browserHeaders({ ...headers, ...(isAdmins && session) }) });
  };
  const get = (route: Documented, values: Values): Promise<Response> => getPath(route, pathWith(route, values), headersWith(route, values));

  let session: RequestHeaders;
  beforeAll(async () => {
    await recordEvents(await targetOf(), SITE);
    const closed = await targetOf(CLOSED);
    session = await logIn(closed);
    await putSettings(closed, PUBLIC_SITE, { public: true }, session);
    await putSettings(closed, SITE, { aliases: ["goatcounter:127.0.0.1", "matomo:1"] }, session);
  });
  afterAll(async () => {
    for (const used of targets.values()) await used.close();
  });

  it.each(PARAMETERS)("$id accepts the documented values of $name and no others", async ({ route, parameter }) => {
    const { name, schema } = parameter;
    for (const value of candidatesFor(parameter).filter((candidate) => isSendable(parameter, candidate))) {
      const response = await get(route, { ...needed(route, name), ...together(name, value) });
      const { status } = response;
      const wanted = allows(DOCUMENT, schema, valueOfText(value, schema)) ? successesOf(value) : REFUSED;
      expect(wanted, `${name}=${JSON.stringify(value)} is answered ${status}`).toContain(status);
      expect(await answerProblems(DOCUMENT, route, response)).toEqual([]);
    }
  });

  it.each(PARAMETERS.filter(({ parameter }) => parameter.schema.enum))(
    "$id lists exactly the documented values of $name when it refuses one",
    async ({ route, parameter }) => {
      const response = await get(route, { ...needed(route, parameter.name), [parameter.name]: "undocumented" });
      const { error } = (await response.json()) as { error: string };
      expect(/one of:? (.*?)(?:, got "undocumented")?$/.exec(error)?.[1]?.split(", ")).toEqual(parameter.schema.enum);
    },
  );

  it.each(PARAMETERS.filter(({ parameter }) => parameter.in === "query"))(
    "$id without $name gives 400 or 422 only if it is required",
    async ({ route, parameter }) => {
      // Columns and parts of an answer may need others, but no route needs them.
      const { [parameter.name]: _leftOut, columns: _needing, include: _included, ...values } = needed(route, parameter.name);
      const response = await get(route, values);
      const isNeeded = parameter.required === true || isAlternative(route, parameter.name);
      expect(response.status).toBe(!isNeeded ? 200 : isIngest(route) ? 422 : 400);
      await response.arrayBuffer();
    },
  );

  it.each(PARAMETERS.filter(({ parameter, route }) => parameter.in === "query" && !isIngest(route)))(
    "$id with $name twice gives 400",
    async ({ route, parameter }) => {
      const twice = `&${parameter.name}=1&${parameter.name}=1`;
      const response = await getPath(route, pathWith(route, needed(route, parameter.name)) + twice);
      expect(response.status).toBe(400);
      expect(await response.text()).toContain(`\\"${parameter.name}\\"`);
    },
  );

  it.each(FIELDS)("$id accepts the documented values of the field $name and no others", async ({ route, name, sending }) => {
    const { environment, base, accepted, credentialOf } = sending;
    const asked = await targetOf(environment);
    const headers = credentialOf ? await credentialOf(asked) : {};
    const schema = bodySchemaOf(DOCUMENT, route);
    const field = schema?.properties?.[name];
    if (!schema || !field) throw new Error(`${route.id} has no field ${name}`);
    // That a page needs a path or a host is said in words only.
    const isPage = ({ u }: { readonly u?: unknown }) => typeof u !== "string" || u.startsWith("/");
    const isRight = (body: object) => allows(DOCUMENT, schema, body) && isPage(body);
    for (const value of [...fieldValues(field), undefined]) {
      const sent = JSON.stringify({ ...base(SITE), [name]: value });
      const response = await asked.fetch(route.path, { method: "POST", headers: browserHeaders(headers), body: sent });
      const wanted = isRight(JSON.parse(sent) as object) ? accepted : REFUSED;
      expect(wanted, `${sent.slice(0, 200)} is answered ${response.status}`).toContain(response.status);
      expect(await answerProblems(DOCUMENT, route, response)).toEqual([]);
    }
  });
});
