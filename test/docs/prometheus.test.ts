/** The Prometheus configurations in the documents are valid, and name a secret and a service that exist. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { skippedFor } from "../support/skipped.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { codeBlocksOf, readPage, ROOT } from "./pages.ts";

const hasPromtool = spawnSync("promtool", ["--version"]).error === undefined;

const yamlOf = (path: string): string[] =>
  codeBlocksOf(readPage(path)).flatMap(({ language, code }) => (language === "yaml" ? [code] : []));

const PAGES_WITH_CONFIGURATION = ["docs/operations.md", "docs/containers.md"];

const configurations = PAGES_WITH_CONFIGURATION.flatMap((path) =>
  yamlOf(path).flatMap((code) => (code.startsWith("scrape_configs:") ? [{ path, code }] : [])),
);

describe("the Prometheus configurations in the docs", () => {
  it("pass `promtool check config`, one on each page", skippedFor(hasPromtool ? null : "no promtool on this machine"), async () => {
    expect(configurations.map(({ path }) => path)).toEqual(PAGES_WITH_CONFIGURATION);
    const folder = await tempFolder();
    const token = join(folder, "token");
    await writeFile(token, "a-token");
    for (const { path, code } of configurations) {
      const file = join(folder, "prometheus.yml");
      await writeFile(file, code.replace(/(credentials_file: )\S+/, `$1${token}`));
      const { status, stdout, stderr } = spawnSync("promtool", ["check", "config", file], { encoding: "utf8" });
      expect([path, stdout + stderr, status]).toEqual([path, expect.stringContaining("SUCCESS"), 0]);
    }
  });

  it("for Compose read the secret of the service that is added, and ask the service of compose.yaml", () => {
    const compose = parse(readFileSync(join(ROOT, "compose.yaml"), "utf8")) as {
      readonly services: Readonly<Record<string, unknown>>;
      readonly secrets: Readonly<Record<string, unknown>>;
    };
    const [added, configuration] = yamlOf("docs/containers.md").map((code) => parse(code) as unknown);
    const { services } = added as { readonly services: Readonly<Record<string, { readonly secrets: readonly string[] }>> };
    const [scraped] = (configuration as { readonly scrape_configs: readonly Scraped[] }).scrape_configs;
    const [secret = ""] = services["prometheus"]?.secrets ?? [];
    expect(Object.keys(compose.secrets)).toContain(secret);
    expect(scraped?.authorization.credentials_file).toBe(`/run/secrets/${secret}`);
    const [service = "", port] = scraped?.static_configs[0]?.targets[0]?.split(":") ?? [];
    expect([Object.keys(compose.services).includes(service), port]).toEqual([true, "8000"]);
  });
});

interface Scraped {
  readonly authorization: { readonly credentials_file: string };
  readonly static_configs: readonly { readonly targets: readonly string[] }[];
}
