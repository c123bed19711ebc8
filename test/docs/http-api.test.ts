/** docs/http-api.md: its generated parts are up to date, and its prose has the statuses, messages and headers of the program. */
import { describe, expect, it } from "vitest";
import { ROUTES } from "../../src/handlers/app.ts";
import { TOOLS } from "../../src/handlers/mcp/tools.ts";
import { OF_DASHBOARD } from "../../src/handlers/origins.ts";
import { STATUS } from "../../src/handlers/error-reply.ts";
import { openapiDocument } from "../../src/handlers/openapi.ts";
import { OPTIONS } from "../../src/runtime/base/config/options.ts";
import { CLICK_IDS } from "../../src/shared/click-ids.ts";
import { EVENT_COLUMNS } from "../../src/storage/event.ts";
import { withApiReference } from "../../tools/api-reference.ts";
import { ofItsOwn, postLogin, postSetup, PASSWORD } from "../support/auth-requests.ts";
import { createInProcessTarget } from "../support/in-process-target.ts";
import { documentedIn } from "../support/openapi.ts";
import { PAGE, ROUTE_ENTRIES, SECTIONS, codesIn, headingsOf, rowsOf, sectionOf, type RouteEntry } from "./http-api-page.ts";

const DOCUMENT = openapiDocument(ROUTES);
const DOCUMENTED = documentedIn(DOCUMENT);

const entryOf = (id: string): RouteEntry => {
  const entry = ROUTE_ENTRIES.find((known) => known.id === id);
  if (!entry) throw new Error(`docs/http-api.md lacks "<!-- api: ${id} -->"; add it to the section of its subject`);
  return entry;
};

/** Which part of the page to edit. */
const at = ({ id, section }: RouteEntry): string =>
  `docs/http-api.md, "${section.title}", ${id}: edit the page, or its description in src/handlers if the page is right`;

describe("the routes of the page", () => {
  it("are the routes of the program, each once", () => {
    const routes = ROUTES.map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, "{$1}")}`);
    expect(
      ROUTE_ENTRIES.map(({ id }) => id).sort(),
      "each route of src/handlers/app.ts is in one `<!-- api: … -->` of docs/http-api.md, and nothing else is",
    ).toEqual(routes.sort());
  });

  it("in prose and examples are known routes", () => {
    // The page has several sites.
    const filled = (path: string) =>
      path
        .replace("{dimension}", "sources")
        .replace("{site_id}", "example.com")
        .replace(/^(\/api\/sites\/)(?:[a-z]+\.)*example\.(?:com|org)(?=\/|$)/, "$1example.com");
    const known = DOCUMENTED.map(({ path }) => filled(path));
    const named = [...PAGE.matchAll(/(?:[A-Z] |`|:8000)(\/(?:api|health)\/[\w/{}.-]*[\w}])/g)].map(([, path = ""]) => filled(path));
    const strange = named.filter((path) => !known.some((route) => `${route}/`.startsWith(`${path}/`)));
    expect(strange, "docs/http-api.md names paths that are no routes").toEqual([]);
  });
});

describe("the generated parts of the page", () => {
  it("are what the OpenAPI document says", () => {
    expect(
      withApiReference(PAGE, DOCUMENT, ROUTES) === PAGE,
      "docs/http-api.md is out of date: run `npm run docs:api`, which rewrites it",
    ).toBe(true);
  });

  it("spell out no type and no parameter outside of them", () => {
    const written = PAGE.replaceAll(/^<!-- api: [^]*?^<!-- api end -->$/gm, "");
    expect(written.match(/^- (?:Route|Body|Response): .*|: (?:string|integer|boolean|number)\b[,; ].*/gm) ?? []).toEqual([]);
  });

  it.each(DOCUMENTED)("$id has every value of its path parameters in its section", ({ id, parameters }) => {
    const entry = entryOf(id);
    const words = parameters.flatMap((parameter) => (parameter.in === "path" ? (parameter.schema.enum ?? []) : []));
    const named = codesIn(entry.section.text);
    expect(
      words.filter((word) => !named.includes(word)),
      at(entry),
    ).toEqual([]);
  });
});

describe("the columns of the page", () => {
  it("of stored events are the columns in their order", () => {
    const columns = rowsOf(sectionOf("Stored values"), "Column").flatMap(([names = ""]) => codesIn(names));
    expect(columns, 'edit docs/http-api.md, "Stored values"').toEqual(EVENT_COLUMNS.map(({ name }) => name));
  });
});

describe("statuses, messages and headers of the page", () => {
  it("are all statuses of the program", () => {
    const statuses = new Set([...Object.values(STATUS).map(String), ...DOCUMENTED.flatMap(({ answers }) => Object.keys(answers))]);
    expect(
      rowsOf(sectionOf("Statuses"), "Status").map(([status]) => status),
      'edit docs/http-api.md, "Statuses"',
    ).toEqual([...statuses].sort());
  });

  it("are the messages that the program sends", async () => {
    const target = await createInProcessTarget(ofItsOwn({ SVC_MAX_LOGIN_ATTEMPTS: "1" }));
    const answered: string[] = [];
    const note = async (response: Response) =>
      answered.push(`${response.status}: \`${((await response.json()) as { error: string }).error}\``);
    await note(await postLogin(target));
    await note(await postSetup(target, "short"));
    const { token } = (await (await postSetup(target, PASSWORD)).json()) as { token: string };
    await note(await postSetup(target, PASSWORD));
    await note(await postLogin(target, "wrong"));
    await note(await postLogin(target, PASSWORD));
    await note(await target.fetch("/api/keys/unknown", { method: "DELETE", headers: { cookie: `svc_session=${token}` } }));
    await target.close();
    const stated = [...sectionOf("Statuses").text.matchAll(/^- (\d+: `.+`)$/gm)].map(([, line]) => line);
    expect(stated.sort(), 'edit docs/http-api.md, "Statuses"').toEqual(answered.sort());
  });

  it("docs/http-api.md names every header of responses", () => {
    const names = new Set(DOCUMENTED.flatMap(({ answers }) => Object.values(answers).flatMap(({ headers = {} }) => Object.keys(headers))));
    const stated = SECTIONS.flatMap(({ text }) => codesIn(text)).join("\n");
    expect(
      [...names].filter((name) => !stated.includes(name)),
      "docs/http-api.md does not say what these headers are",
    ).toEqual([]);
  });
});

describe("CORS", () => {
  it("covers the access levels of the dashboard's routes, and names them in their order", () => {
    const [levels = ""] = /^On .+ routes, only an `Origin`/m.exec(sectionOf("CORS").text) ?? [];
    expect(codesIn(levels).slice(0, -1), 'edit docs/http-api.md, "CORS"').toEqual(OF_DASHBOARD);
  });
});

describe("the page", () => {
  it("has unique headings, so that they can be cited by name, and links to existing ones", () => {
    const headings = headingsOf(PAGE);
    expect(new Set(headings).size).toBe(headings.length);
    const anchors = headings.map((heading) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\w -]/g, "")
        .replaceAll(" ", "-"),
    );
    const links = [...PAGE.matchAll(/\]\(#([^)]+)\)/g)].map(([, anchor = ""]) => anchor);
    expect(
      links.filter((anchor) => !anchors.includes(anchor)),
      "docs/http-api.md links to headings that it does not have",
    ).toEqual([]);
  });

  it("lists the kinds of click ids that are stored", () => {
    const listed = codesIn(sectionOf("Click ids").text);
    expect([...listed].sort()).toEqual([...CLICK_IDS].sort());
  });

  it("uses the exact names of options, fields, parameters and columns", () => {
    const fields = [...JSON.stringify(DOCUMENT).matchAll(/[a-z]+(?:_[a-z]+)+/g)].map(([name]) => name);
    const known = new Set([
      ...Object.keys(OPTIONS),
      ...fields,
      ...EVENT_COLUMNS.map(({ name }) => name),
      ...CLICK_IDS,
      ...TOOLS.keys(),
      "svc_session",
    ]);
    const named = SECTIONS.filter(({ title }) => title !== "Metrics").flatMap(({ text }) => codesIn(text));
    const strange = named.filter((code) => /^[a-z]+(?:_[a-z]+)+$/.test(code) && !known.has(code));
    expect(strange, "docs/http-api.md uses names that the program does not have").toEqual([]);
  });

  it("lists existing metrics with their types", async () => {
    const target = await createInProcessTarget();
    const types = [...(await (await target.fetch("/metrics")).text()).matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(
      ([, name, type]) => `${name} ${type}`,
    );
    await target.close();
    const stated = rowsOf(sectionOf("Metrics"), "Metric").flatMap(([names = "", type = ""]) =>
      codesIn(names).map((name) => `${name} ${type}`),
    );
    expect(
      stated.filter((metric) => !types.includes(metric)),
      'edit docs/http-api.md, "Metrics"',
    ).toEqual([]);
  });
});
