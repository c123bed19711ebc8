/** The configurations of docs/scaling.md are ones that the program accepts, and its figures those of the program. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { parse } from "yaml";
import { readConfigFile } from "../../adapters/node/config-sources.ts";
import { ROUTES } from "../../src/handlers/app.ts";
import { parseConfig } from "../../src/runtime/base/config/config.ts";
import { UNFLUSHED_BYTES_MAX, UNFLUSHED_EVENTS_MAX } from "../../src/runtime/base/config/limits.ts";
import { configOfEnvironment, secretPaths } from "../deploy/environment.ts";
import { createNodeTarget } from "../support/node-target.ts";
import { requestProxy, startProxy, whyMissing } from "../support/proxy.ts";
import { browserHeaders, wireEvent } from "../support/requests.ts";
import { skippedFor } from "../support/skipped.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { codeBlocksOf, readPage } from "./pages.ts";

const page = readPage("docs/scaling.md");
const blocksOf = (language: string): string[] => codeBlocksOf(page).flatMap((block) => (block.language === language ? [block.code] : []));

describe("the configuration files of docs/scaling.md", () => {
  const [one = "", ingest = "", cluster = ""] = blocksOf("toml");

  async function configOf(text: string) {
    const path = join(await tempFolder(), "sandpiper.toml");
    await writeFile(path, text);
    const secret = { SVC_SECRET: "a secret that all of the nodes have" };
    const { config, warnings } = parseConfig({ environment: secret, secretFiles: {}, file: readConfigFile(path), platform: "node" });
    expect(warnings).toEqual([]);
    return config;
  }

  it("are for one machine, an ingest node and a cluster", async () => {
    expect(blocksOf("toml").length).toBe(3);
    expect(await configOf(one)).toMatchObject({ engine: "clickhouse", role: "all", clickhouseCluster: null });
    expect(await configOf(ingest)).toMatchObject({ engine: "clickhouse", role: "ingest", trustProxy: 1 });
    expect(await configOf(one + cluster)).toMatchObject({ clickhouseCluster: "analytics" });
  });
});

interface Service {
  readonly image: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly secrets: readonly string[];
  readonly volumes: readonly string[];
}

interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, unknown>>;
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
}

describe("the Compose file of docs/scaling.md", () => {
  const [yaml = ""] = blocksOf("yaml");
  const { services, volumes, secrets } = parse(yaml, { version: "1.1" }) as Compose;
  const nodes = Object.entries(services).filter(([, { image }]) => image === "sandpiper");

  it("has a full node and ingest nodes that use its ClickHouse and share a secret", () => {
    const roles = nodes.map(([name, { environment }]) => [name, configOfEnvironment(environment).role]);
    expect(roles).toEqual([
      ["full", "all"],
      ["ingest-1", "ingest"],
      ["ingest-2", "ingest"],
    ]);
    const { environment = {} } = services["clickhouse"] ?? {};
    for (const [, node] of nodes) {
      const config = configOfEnvironment(node.environment);
      expect([config.clickhouseUrl, config.clickhouseUser]).toEqual(["http://clickhouse:8123", environment["CLICKHOUSE_USER"]]);
      expect(node.environment["SVC_SECRET_FILE"]).toBe("/run/secrets/secret");
    }
  });

  it("gives each node a data folder of its own, and the secrets that its options read", () => {
    const mounted = Object.values(services).flatMap((service) => service.volumes.map((volume) => volume.split(":")[0]));
    expect(mounted).toEqual(Object.keys(volumes));
    for (const [, { environment, secrets: read }] of nodes) {
      expect(secretPaths(environment).sort()).toEqual(read.map((name) => `/run/secrets/${name}`).sort());
    }
    for (const [name, { file }] of Object.entries(secrets)) expect(file).toBe(`./secrets/${name}`);
  });
});

it("the load balancer of docs/scaling.md sends the ingest nodes paths that they serve", () => {
  const [caddy = ""] = blocksOf("caddy");
  const paths = /@events path (.+)/.exec(caddy)?.[1]?.split(" ") ?? [];
  const served = ROUTES.filter(({ roles }) => roles.includes("ingest")).map(({ path }) => path as string);
  expect(paths.length).toBeGreaterThan(2);
  expect(paths.filter((path) => !served.includes(path))).toEqual([]);
});

describe("the load balancer of docs/scaling.md, in front of a node", skippedFor(whyMissing("caddy")), () => {
  it("keeps metrics and health details inside, and lets events, the page and uptime checks through", async () => {
    const target = await createNodeTarget({ SVC_TRUST_PROXY: "1" });
    onTestFinished(() => target.close());
    const [caddy = ""] = blocksOf("caddy");
    const snippet = caddy.replaceAll(/\b(?:ingest-1:8000 ingest-2|full):8000/g, new URL(target.origin()).host);
    const proxy = await startProxy("caddy", { snippet });
    onTestFinished(() => proxy.stop());
    for (const path of ["/metrics", "/metrics/", "/health/detailed"]) {
      expect([path, (await requestProxy(proxy.port, path)).status, (await target.fetch(path)).status]).toEqual([path, 404, 200]);
    }
    expect((await requestProxy(proxy.port, "/health")).text).toBe("ok");
    expect((await requestProxy(proxy.port, "/")).headers["content-type"]).toBe("text/html; charset=utf-8");
    const event = { method: "POST" as const, headers: browserHeaders(), body: JSON.stringify(wireEvent("balanced.test")) };
    expect((await requestProxy(proxy.port, "/api/event", event)).status).toBe(202);
  });
});

it("docs/scaling.md names the journal's bounds", () => {
  expect(page.text).toContain(
    `up to ${UNFLUSHED_EVENTS_MAX.toLocaleString("en-US")} events or ${UNFLUSHED_BYTES_MAX / 2 ** 20} MB on each node`,
  );
});
