/** The document itself: that it is OpenAPI 3.1, complete, closed, and says what the handlers read. */
import { ROUTES } from "../../../src/handlers/app.ts";
import { openapiDocument, OPERATIONS } from "../../../src/handlers/openapi.ts";
import type { Access } from "../../../src/handlers/route.ts";
import { routeIdOf } from "../../../src/handlers/router.ts";
import type { Schema } from "../../../src/runtime/base/json-schema.ts";
import { PROVOKED, FAILING } from "../../http/openapi-answers.ts";
import { CLOSED, createKey, logIn, withKey } from "../../support/auth-requests.ts";
import { createInProcessTarget } from "../../support/in-process-target.ts";
import { schemaProblems, resolveReference, SCHEMA_KEYWORDS, type SchemaRoot } from "../../support/json-schema.ts";
import { bodySchemaOf, documentedIn, pathWith, requiredValues, type Documented, type Values } from "../../support/openapi.ts";
import { browserHeaders } from "../../support/requests.ts";
import { SHORT_DEMO } from "../../support/target.ts";
import { RE2JS } from "re2js";
import { afterEach, describe, expect, it, vi } from "vitest";

const DOCUMENT = openapiDocument(ROUTES);
const DOCUMENTED = documentedIn(DOCUMENT);

/** As a reader of the JSON has it. */
const JSON_DOCUMENT = JSON.parse(JSON.stringify(DOCUMENT)) as SchemaRoot;

type JsonObject = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is JsonObject => typeof value === "object" && value !== null && !Array.isArray(value);

/** An object of the specification: the fields that it must have, and those that it may. */
interface Kind {
  readonly required: readonly string[];
  readonly optional: readonly string[];
}

/** The objects of OpenAPI 3.1 that the document is made of, as far as it may use them, with the extensions of its own. */
const KINDS = {
  document: { required: ["openapi", "info", "paths"], optional: ["servers", "tags", "components"] },
  info: { required: ["title", "version"], optional: ["summary", "description", "license"] },
  license: { required: ["name"], optional: ["identifier"] },
  server: { required: ["url"], optional: ["description"] },
  tag: { required: ["name"], optional: ["description"] },
  components: { required: [], optional: ["schemas", "responses", "parameters", "headers", "securitySchemes"] },
  pathItem: { required: [], optional: ["get", "put", "post", "delete", "options", "head", "patch", "trace"] },
  operation: {
    required: ["responses", "operationId", "summary", "tags"],
    optional: ["description", "parameters", "requestBody", "security", "x-roles"],
  },
  parameter: { required: ["name", "in", "schema", "description"], optional: ["required", "example"] },
  requestBody: { required: ["content"], optional: ["description", "required"] },
  response: { required: ["description"], optional: ["headers", "content"] },
  header: { required: ["schema", "description"], optional: ["required"] },
  mediaType: { required: [], optional: ["schema"] },
  securityScheme: { required: ["type", "description"], optional: ["in", "name", "scheme"] },
  reference: { required: ["$ref"], optional: [] },
} as const satisfies Readonly<Record<string, Kind>>;

/** Every object of the document with its kind and place, found by walking it as the specification says. */
function* objectsOf(document: SchemaRoot): Generator<readonly [kind: keyof typeof KINDS | "schema", value: JsonObject, at: string]> {
  type Step = readonly [kind: keyof typeof KINDS | "schema", value: unknown, at: string];
  const children = (kind: Step[0], object: JsonObject, at: string): Step[] => {
    const one = (name: string, child: Step[0]): Step[] => (name in object ? [[child, object[name], `${at}/${name}`]] : []);
    const each = (name: string, child: Step[0]): Step[] =>
      Object.entries(object[name] ?? {}).map(([key, value]) => [child, value, `${at}/${name}/${key}`]);
    switch (kind) {
      case "document":
        return [
          ...one("info", "info"),
          ...each("servers", "server"),
          ...each("tags", "tag"),
          ...each("paths", "pathItem"),
          ...one("components", "components"),
        ];
      case "info":
        return one("license", "license");
      case "components":
        return [
          ...each("schemas", "schema"),
          ...each("responses", "response"),
          ...each("parameters", "parameter"),
          ...each("headers", "header"),
          ...each("securitySchemes", "securityScheme"),
        ];
      case "pathItem":
        return Object.keys(object).flatMap((method) => one(method, "operation"));
      case "operation":
        return [...each("parameters", "parameter"), ...one("requestBody", "requestBody"), ...each("responses", "response")];
      case "requestBody":
        return each("content", "mediaType");
      case "response":
        return [...each("headers", "header"), ...each("content", "mediaType")];
      case "parameter":
      case "header":
      case "mediaType":
        return one("schema", "schema");
      case "schema":
        return [...each("properties", "schema"), ...one("items", "schema"), ...each("anyOf", "schema")];
      default:
        return [];
    }
  };
  const left: Step[] = [["document", document, "#"]];
  for (let step = left.pop(); step; step = left.pop()) {
    const [kind, value, at] = step;
    if (!isObject(value)) throw new Error(`${at} is no object`);
    const actual = kind !== "schema" && "$ref" in value ? "reference" : kind;
    yield [actual, value, at];
    left.push(...children(actual, value, at));
  }
}

const OBJECTS = [...objectsOf(JSON_DOCUMENT)];
const SCHEMAS = OBJECTS.filter(([kind]) => kind === "schema");

describe("the OpenAPI 3.1 document", () => {
  it("contains only fields of the specification, and all required ones", () => {
    const problems = OBJECTS.flatMap(([kind, value, at]) => {
      if (kind === "schema")
        return Object.keys(value)
          .filter((name) => !SCHEMA_KEYWORDS.includes(name))
          .map((name) => `${at} has "${name}"`);
      const { required, optional }: Kind = KINDS[kind];
      return [
        ...required.filter((name) => !(name in value)).map((name) => `${at} lacks "${name}"`),
        ...Object.keys(value)
          .filter((name) => ![...required, ...optional].includes(name))
          .map((name) => `${at} has "${name}"`),
      ];
    });
    expect(problems).toEqual([]);
  });

  it("states the version of the specification and of the program", () => {
    expect(DOCUMENT.openapi).toMatch(/^3\.1\.\d+$/);
    expect(DOCUMENT.info.version).toMatch(/^\d+\.\d+\.\d+$/);
  });

  it("contains no broken reference and no unused component", () => {
    const references = OBJECTS.flatMap(([, { $ref }]) => (typeof $ref === "string" ? [$ref] : []));
    for (const reference of references) expect(() => resolveReference(JSON_DOCUMENT, reference)).not.toThrow();
    const { schemas, parameters, headers } = DOCUMENT.components;
    const components = Object.entries({ schemas, parameters, headers }).flatMap(([kind, named]) =>
      Object.keys(named).map((name) => `#/components/${kind}/${name}`),
    );
    expect(components.filter((component) => !references.includes(component))).toEqual([]);
  });

  it("gives each route a unique operationId that is a valid function name", () => {
    const ids = OBJECTS.flatMap(([kind, { operationId }]) => (kind === "operation" ? [String(operationId)] : []));
    expect(new Set(ids).size).toBe(DOCUMENTED.length);
    expect(ids.filter((id) => !/^[a-z][A-Za-z]*$/.test(id))).toEqual([]);
  });

  it("uses exactly the tags that it declares", () => {
    const used = OBJECTS.flatMap(([kind, { tags }]) => (kind === "operation" ? (tags as string[]) : []));
    expect([...new Set(used)].sort()).toEqual(DOCUMENT.tags.map(({ name }) => name).sort());
  });

  it.each(DOCUMENTED)(
    "$id declares the parameters of its path, each name once, and answers with a status each",
    ({ path, parameters, answers }) => {
      const inPath = parameters.filter((parameter) => parameter.in === "path");
      expect(inPath.map(({ name }) => `{${name}}`)).toEqual(path.match(/\{\w+\}/g) ?? []);
      expect(inPath.every(({ required }) => required)).toBe(true);
      expect(new Set(parameters.map(({ name }) => name)).size).toBe(parameters.length);
      expect(Object.keys(answers).filter((status) => !/^[2-5]\d\d$/.test(status))).toEqual([]);
      expect(Object.keys(answers).some((status) => status.startsWith("2"))).toBe(true);
    },
  );

  it("contains a description wherever the specification allows one", () => {
    const wordless = OBJECTS.filter(
      ([kind, { description }]) =>
        ["parameter", "header", "response", "tag", "requestBody", "securityScheme"].includes(kind) && String(description ?? "").length < 5,
    );
    expect(wordless.map(([, , at]) => at)).toEqual([]);
  });

  it("contains examples and defaults that match their schemas", () => {
    for (const [kind, { schema, example }, at] of OBJECTS) {
      if (kind !== "parameter" || example === undefined) continue;
      expect({ at, problems: schemaProblems(JSON_DOCUMENT, example, schema as Schema) }).toEqual({ at, problems: [] });
    }
    for (const [, value, at] of SCHEMAS) {
      if (!("default" in value)) continue;
      expect({ at, problems: schemaProblems(JSON_DOCUMENT, value.default, value as Schema) }).toEqual({ at, problems: [] });
    }
  });

  it("requires only declared security schemes, and none for routes that ignore credentials", () => {
    const schemes = Object.keys(DOCUMENT.components.securitySchemes);
    const each = schemes.filter((name) => !name.startsWith("Share")).map((name) => ({ [name]: [] }));
    const wanted = {
      stats: [{}, ...each, { Share: [] }],
      instance: [{}, ...each],
      share: [{ Share: [] }],
      site: each,
      admin: each,
      session: [{ Session: [] }],
      manage: [{}, ...each],
      key: each.filter((scheme) => !("Session" in scheme)),
      public: undefined,
      ingest: undefined,
      auth: undefined,
    } satisfies Record<Access, unknown>;
    // The address names what it shows.
    const ofAddress: Readonly<Record<string, unknown>> = { "/badge/:file": [{}], "/api/feed": [...wanted.stats, { ShareParameter: [] }] };
    for (const { method, path, access } of ROUTES) {
      const operation = DOCUMENT.paths[path.replace(/:(\w+)/g, "{$1}")]?.[method.toLowerCase()];
      expect({ path, security: operation?.security }).toEqual({ path, security: ofAddress[path] ?? wanted[access] });
    }
  });

  it("contains an example for every required parameter", () => {
    const bare = DOCUMENTED.flatMap(({ id, parameters }) =>
      parameters.filter(({ required, example }) => required && example === undefined).map(({ name }) => `${id} ${name}`),
    );
    expect(bare).toEqual([]);
  });
});

/** Objects that may have fields beside those that are named, and why. */
const OPEN_OBJECTS: Readonly<Record<string, string>> = {
  "#/components/schemas/Event": "fields of a request that the service does not know are ignored",
  "#/components/schemas/Event/properties/p": "custom properties are whatever was sent",
  "#/components/schemas/UmamiRequest": "as of an event",
  "#/components/schemas/UmamiRequest/properties/payload": "as of an event",
  "#/components/schemas/MatomoRequest": "as of an event",
  "#/components/schemas/NewImport": "as of an event",
  "#/components/schemas/SiteConfirmation": "as of an event",
  "#/components/schemas/NewSiteName": "as of an event",
  "#/components/schemas/MergeTarget": "as of an event",
  "#/components/schemas/NewPassword": "as of an event",
  "#/components/schemas/Password": "as of an event",
  "#/components/schemas/PasswordChange": "as of an event",
  "#/components/schemas/NewKey": "as of an event",
  "#/components/schemas/NewShare": "as of an event",
  "#/components/schemas/NewSiteExport": "as of an event",
  "#/components/schemas/SharePassword": "as of an event",
  "#/components/schemas/InstallationPageRequest": "as of an event",
  "#/components/schemas/McpMessage": "as of an event",
  "#/components/schemas/McpMessage/properties/params": "the Model Context Protocol says what is in it",
  "#/components/schemas/McpAnswer/properties/result": "the Model Context Protocol says what is in it",
  "#/components/schemas/CrawlBatch": "unknown fields are ignored",
  "#/components/schemas/CrawlRequest": "unknown fields are ignored",
  "#/components/schemas/OpenApiDocument": "the specification of OpenAPI says what is in it",
  "#/components/schemas/RawExport/items/properties/props": "custom properties are whatever was sent",
};

const RPC_FAILURES = ["POST /api/mcp 400", "POST /api/mcp 413"];

describe("response schemas", () => {
  it("are closed, except for the objects that are listed with a reason", () => {
    const open = SCHEMAS.filter(([, { type, additionalProperties }]) => [type].flat().includes("object") && additionalProperties !== false);
    expect(open.map(([, , at]) => at).sort()).toEqual(Object.keys(OPEN_OBJECTS).sort());
  });

  it("use patterns that clients with RE2 can compile", () => {
    const problems = SCHEMAS.flatMap(([, { pattern }, at]) => {
      try {
        if (pattern !== undefined) RE2JS.compile(String(pattern));
        return [];
      } catch (error) {
        return [`${at}: ${String(error)}`];
      }
    });
    expect(problems).toEqual([]);
  });

  it("require only fields that they declare", () => {
    const problems = SCHEMAS.flatMap(([, { required = [], properties = {} }, at]) =>
      (required as string[]).filter((name) => !Object.hasOwn(properties as object, name)).map((name) => `${at}: ${name}`),
    );
    expect(problems.filter((problem) => !problem.startsWith("#/components/schemas/OpenApiDocument"))).toEqual([]);
  });

  it("for errors are {error} on every route, except for messages that JSON-RPC answers", () => {
    const errors = DOCUMENTED.flatMap(({ id, answers }) =>
      Object.entries(answers).flatMap(([status, { content }]) =>
        Number(status) >= 400 && content?.["application/json"] && !RPC_FAILURES.includes(`${id} ${status}`)
          ? [{ id, status, schema: content["application/json"].schema }]
          : [],
      ),
    );
    expect(errors.length).toBeGreaterThan(50);
    for (const { schema } of errors) expect(schema).toEqual({ $ref: "#/components/schemas/Error" });
  });
});

const documentedId = (method: string, path: string): string => `${method} ${path.replace(/:(\w+)/g, "{$1}")}`;

describe("the document", () => {
  it("describes exactly the routes of the service", () => {
    expect(Object.keys(OPERATIONS).sort()).toEqual(ROUTES.map(routeIdOf).sort());
    const routes = ROUTES.map(({ method, path }) => documentedId(method, path));
    expect(
      DOCUMENTED.map(({ id }) => id).sort(),
      "a route and its description in src/handlers must go together: write the one or remove the other",
    ).toEqual(routes.sort());
  });

  it("describes no unknown route", () => {
    const routes: readonly string[] = ROUTES.map(({ method, path }) => `${method} ${path}`);
    expect(
      Object.keys(OPERATIONS).filter((id) => !routes.includes(id)),
      "take the description out of src/handlers, or add the route to src/handlers/app.ts",
    ).toEqual([]);
  });

  it("requires the parameter `site_id` of every route about one site, and of the installation check, which all instances answer together", () => {
    const requiring = DOCUMENTED.filter(({ parameters }) =>
      parameters.some((parameter) => parameter.name === "site_id" && parameter.in === "query" && parameter.required === true),
    );
    const ofSite = ROUTES.filter(({ site }) => site === true).map(({ method, path }) => documentedId(method, path));
    expect(requiring.map(({ id }) => id).sort()).toEqual([...ofSite, "GET /api/installation"].sort());
  });

  it("has a request in test/http/openapi-answers.ts for every status", () => {
    const documented = DOCUMENTED.flatMap(({ id, answers }) => Object.keys(answers).map((status) => `${status} ${id}`));
    const provoked = [...PROVOKED, ...FAILING].map(({ id, status }) => `${status} ${id}`);
    expect(
      [...new Set(provoked)].sort(),
      "add a request to test/http/openapi-answers.ts, or take the status out of the description",
    ).toEqual(documented.sort());
  });
});

/** Values of parameters that make others be read. */
const READ_FURTHER: readonly (readonly [name: string, value: string])[] = [
  ["columns", "conversions,revenue,comparison"],
  ["search", "a"],
];

/** Requests of a route in which each value that changes what is read comes up: those of its lists, and these. */
function requestsOf(route: Documented): Values[] {
  const base = { ...requiredValues(route) };
  const words = route.parameters.flatMap(({ name, schema }) => (schema.enum ?? []).map((word) => ({ ...base, [name]: word })));
  const further = READ_FURTHER.filter(([name]) => route.parameters.some((parameter) => parameter.name === name));
  return [base, ...words, ...further.map(([name, value]) => ({ ...base, [name]: value }))];
}

/** Their bodies may have the fields of a listed item that no request can set. All others are refused by name. */
const COLLECTIONS = ["/api/goals", "/api/segments", "/api/annotations", "/api/rules"];
const UNSETTABLE = [
  "id",
  "created_at",
  "changed_at",
  "time_zone_in_force",
  "time_zone_changes",
  "default_time_zone",
  "default_retention_days",
  "asn_db_loaded",
];

const settable = (properties: object): string[] =>
  Object.keys(properties)
    .filter((name) => !UNSETTABLE.includes(name))
    .toSorted();

const isOfCollection = ({ path }: Documented): boolean => COLLECTIONS.some((collection) => path.startsWith(collection));

describe("request handlers", () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it.each(DOCUMENTED)("$id reads exactly the documented query parameters", async (route) => {
    const names = new Set<string>();
    const target = await createInProcessTarget({ ...CLOSED, ...SHORT_DEMO });
    const headers = browserHeaders(await logIn(target));
    for (const reader of ["get", "getAll", "has"] as const) {
      const original = URLSearchParams.prototype[reader] as (name: string) => never;
      vi.spyOn(URLSearchParams.prototype, reader).mockImplementation(function (this: URLSearchParams, name: string) {
        names.add(name);
        return original.call(this, name);
      });
    }
    for (const values of requestsOf(route)) {
      const response = await target.fetch(pathWith(route, values), { method: route.method, headers });
      await response.arrayBuffer();
    }
    await target.close();
    const inQuery = route.parameters.filter((parameter) => parameter.in === "query").map(({ name }) => name);
    // A security scheme.
    const credentials = route.id === "GET /api/feed" ? ["share"] : [];
    expect([...names].sort()).toEqual([...inQuery, ...credentials].sort());
  });

  it.each(DOCUMENTED.filter((route) => route.requestBody !== null && isOfCollection(route)))(
    "$id accepts exactly the documented fields in its body",
    async (route) => {
      const target = await createInProcessTarget({ ...CLOSED, ...SHORT_DEMO });
      const { properties = {} } = bodySchemaOf(DOCUMENT, route) ?? {};
      // An item that is changed has to exist, and takes the fields of one that is made.
      const path = COLLECTIONS.find((collection) => route.path.startsWith(collection)) ?? "";
      const body = JSON.stringify({ nonsense: "/" });
      const headers = browserHeaders(await logIn(target));
      const response = await target.fetch(`${path}?site_id=a.test`, { method: "POST", headers, body });
      const { error } = (await response.json()) as { error: string };
      await target.close();
      const taken = error.split("Use any of: ")[1]?.split(", ") ?? [];
      expect(taken.toSorted()).toEqual(settable(properties));
    },
  );

  it.each(DOCUMENTED.filter((route) => route.requestBody !== null && !isOfCollection(route)))(
    "$id reads exactly the documented fields of its body",
    async (route) => {
      const names = new Set<string | symbol>();
      const isSetup = route.path === "/api/auth/setup";
      const target = await createInProcessTarget(isSetup ? {} : CLOSED);
      const session = isSetup ? {} : await logIn(target);
      const isOfKeys = route.path === "/api/mcp";
      const credential = isOfKeys ? withKey((await createKey(target, session, "ReadOnly")).key) : session;
      const original = JSON.parse;
      const watched = (value: object): object =>
        new Proxy(value, {
          get: (object, name) => (names.add(name), Reflect.get(object, name) as unknown),
          has: (object, name) => (names.add(name), Reflect.has(object, name)),
          getOwnPropertyDescriptor: (object, name) => (names.add(name), Reflect.getOwnPropertyDescriptor(object, name)),
        });
      const { required = [], properties = {} } = bodySchemaOf(DOCUMENT, route) ?? {};
      const body = JSON.stringify(Object.fromEntries(required.map((name) => [name, "/"])));
      vi.spyOn(JSON, "parse").mockImplementation((text: string) => {
        const value: unknown = original(text);
        return text === body ? watched(value as object) : value;
      });
      await target.fetch(pathWith(route, requiredValues(route)), { method: route.method, headers: browserHeaders(credential), body });
      await target.close();
      // `await` looks for it in every object.
      names.delete("then");
      // The id of a message is its sender's.
      expect([...names].sort()).toEqual(isOfKeys ? Object.keys(properties).toSorted() : settable(properties));
    },
  );
});
