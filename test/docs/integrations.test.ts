/** The snippets of docs/integrations.md parse, and ask for addresses and fields that the service has. */
import { DuckDBInstance } from "@duckdb/node-api";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse, parseDocument } from "yaml";
import { createFileObjectStore } from "../../adapters/node/files/file-stores.ts";
import { CLOSED, bodyOf, logIn, postKey, withBearer, withKey, type CreatedKey } from "../support/auth-requests.ts";
import { createInProcessTarget, type InProcessTarget } from "../support/in-process-target.ts";
import { record, wireEvent, type RequestHeaders } from "../support/requests.ts";
import { makeTempFolder, removeFolder } from "../support/temp-folder.ts";
import { codeBlocksOf, readPage } from "./pages.ts";

const ORIGIN = "https://stats.example.com";
const SITE = "example.com";

const blocksOf = (language: string): string[] =>
  codeBlocksOf(readPage("docs/integrations.md")).flatMap((block) => (block.language === language ? [block.code] : []));

interface InfinityQuery {
  readonly url: string;
  readonly columns: readonly { readonly selector: string; readonly type: "timestamp" | "number" | "string" }[];
}

/** A tile or a sensor: where it asks, and for which fields of the answer. */
interface Asked {
  readonly url: string;
  readonly fields: readonly string[];
}

interface Homepage {
  readonly widget: { readonly url: string; readonly mappings: readonly { readonly field: string }[] };
}

interface HomeAssistant {
  readonly rest: readonly { readonly resource: string; readonly sensor: readonly { readonly value_template: string }[] }[];
}

/** `!secret` is a tag of Home Assistant. */
const SECRET = { tag: "!secret", resolve: (name: string) => name };

const yamlOf = <T>(beginning: string): T =>
  parse(blocksOf("yaml").find((code) => code.startsWith(beginning)) ?? "", { customTags: [SECRET] }) as T;

function summariesAsked(): readonly Asked[] {
  const homepage = yamlOf<readonly Readonly<Record<string, readonly Readonly<Record<string, Homepage>>[]>>[]>("- Websites:")
    .flatMap((groups) => Object.values(groups).flat())
    .flatMap((services) => Object.values(services))
    .map(({ widget }) => ({ url: widget.url, fields: widget.mappings.map(({ field }) => field) }));
  const sensors = yamlOf<HomeAssistant>("rest:").rest.map(({ resource, sensor }) => ({
    url: resource,
    fields: sensor.map(({ value_template: template }) => /^\{\{ value_json\.(\w+) \}\}$/.exec(template)?.[1] ?? template),
  }));
  return [...homepage, ...sensors];
}

describe("the snippets of integrations", () => {
  let folder: string;
  let target: InProcessTarget;
  let key: RequestHeaders;
  let bearer: RequestHeaders;
  beforeAll(async () => {
    folder = await makeTempFolder();
    target = await createInProcessTarget(CLOSED, { objects: createFileObjectStore(folder) });
    for (const u of ["/", "/", "/docs"]) await record(target, wireEvent(SITE, { u }));
    await record(target, wireEvent(SITE, { n: "Signup", u: "/docs" }));
    await record(target, wireEvent("other.test", { u: "/other" }));
    await target.flush();
    const made = await bodyOf<CreatedKey>(
      await postKey(target, await logIn(target), { name: "a program", scope: "ReadOnly", sites: [SITE] }),
      201,
    );
    [key, bearer] = [withKey(made.key), withBearer(made.key)];
  });
  afterAll(async () => {
    await target.close();
    await removeFolder(folder);
  });

  const get = (url: string, headers: RequestHeaders): Promise<Response> => {
    expect(url.startsWith(`${ORIGIN}/`), url).toBe(true);
    return target.fetch(url.slice(ORIGIN.length), { headers });
  };

  it("in YAML and JSON parse", () => {
    const [yaml, json] = [blocksOf("yaml"), blocksOf("json")];
    expect([yaml.length, json.length]).toEqual([3, 2]);
    for (const code of yaml) expect(parseDocument(code, { customTags: [SECRET] }).errors).toEqual([]);
    for (const code of json) expect(() => JSON.parse(code) as unknown).not.toThrow();
  });

  it("of Homepage and Home Assistant ask a summary for numbers that it has", async () => {
    const asked = summariesAsked();
    expect(asked).toHaveLength(2);
    for (const { url, fields } of asked) {
      const summary = await bodyOf<Readonly<Record<string, unknown>>>(await get(url, key));
      expect(fields.length).toBeGreaterThan(1);
      for (const field of fields) expect({ field, type: typeof summary[field] }).toEqual({ field, type: "number" });
    }
  });

  it("of Grafana name columns of the reports, in their types", async () => {
    const today = new Date(target.nowMs()).toISOString().slice(0, 10);
    for (const code of blocksOf("json")) {
      const { url, columns } = JSON.parse(code) as InfinityQuery;
      const rows = await bodyOf<readonly Readonly<Record<string, unknown>>[]>(
        await get(url.replaceAll(/\$\{__(?:from|to):date:YYYY-MM-DD\}/g, today), bearer),
      );
      expect(rows.length).toBeGreaterThan(0);
      for (const { selector, type } of columns) {
        for (const row of rows)
          expect({ selector, type: typeof row[selector] }).toEqual({ selector, type: type === "number" ? "number" : "string" });
        if (type === "timestamp") expect(Date.parse(String(rows[0]?.[selector]))).not.toBeNaN();
      }
    }
  });

  it("of Grafana allow the host that the queries ask", () => {
    const { datasources } = yamlOf<{
      readonly datasources: readonly { readonly jsonData: { readonly allowedHosts: readonly string[] } }[];
    }>("apiVersion");
    expect(datasources.map(({ jsonData }) => jsonData.allowedHosts)).toEqual([[ORIGIN]]);
  });

  it("of DuckDB read the files", async () => {
    const [sql = ""] = blocksOf("sql");
    const connection = await (await DuckDBInstance.create(":memory:", { threads: "1" })).connect();
    const reader = await connection.runAndReadAll(sql.replace("/srv/exports", folder));
    connection.closeSync();
    expect(reader.getRowObjectsJson()).toEqual([
      { pathname: "/", pageviews: "2", visitors: "1" },
      { pathname: "/docs", pageviews: "1", visitors: "1" },
    ]);
  });

  it("of Excel ask for a CSV file of days", async () => {
    const [code = ""] = blocksOf("powerquery");
    const [, origin = "", path = "", query = ""] =
      /Contents\("([^"]+)", \[\s*RelativePath = "([^"]+)",\s*Query = \[([^\]]+)\]/.exec(code) ?? [];
    const parameters = [...query.matchAll(/(\w+) = "([^"]*)"/g)].map(([, name = "", value = ""]) => [name, value]);
    const response = await get(`${origin}/${path}?${new URLSearchParams(parameters).toString()}`, key);
    const [header, ...rows] = (await response.text()).trim().split("\n");
    expect([response.status, response.headers.get("content-type")]).toEqual([200, expect.stringContaining("text/csv")]);
    expect(header).toContain("visitors");
    expect(rows.length).toBeGreaterThan(0);
  });
});
