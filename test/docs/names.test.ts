/** Names in the docs exist: options, metrics, files, npm scripts and log lines. */
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { startServer } from "../support/server-process.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { productSources } from "../support/source-files.ts";
import { importsAmong, packageOf, packageTies } from "../support/source-imports.ts";
import { PAGES, readPage, ROOT } from "./pages.ts";

/** Names with the product's prefix that are no metrics: the cookie and the opt-out key. */
const NO_METRICS = new Set(["svc_session", "svc_ignore"]);

/** Lines of the log that the documents quote, so that operators can search for them. */
const QUOTED_LOG_LINES = [
  "the secret of visitor ids could not be replaced",
  "events are refused because they cannot be stored",
  "events can be stored again",
  "the disk failed to sync the journal",
];

/** Every match of the pattern's first group, with the page that has it. */
const named = (pattern: RegExp): { page: string; name: string }[] =>
  PAGES.flatMap(({ path, text }) => [...text.matchAll(pattern)].map(([, name = ""]) => ({ page: path, name })));

it("every environment variable in the docs belongs to an option", () => {
  // `options.test.ts` holds this table to the program.
  const cells = [...readPage("docs/configuration.md").text.matchAll(/^\| `\w+` \| (`SVC_[^|]+`) \|/gm)].map(([, cell = ""]) => cell);
  const known = new Set(cells.flatMap((cell) => cell.split(", ")).map((name) => name.replaceAll("`", "")));
  expect(known.size).toBeGreaterThan(30);
  expect(named(/\b(SVC_[A-Z_]+[A-Z])\b/g).filter(({ name }) => !known.has(name) && name !== "SVC_CONFIG")).toEqual([]);
});

/** It also names what earlier versions had. */
const CHANGELOG = "CHANGELOG.md";

it("every metric in the documents is one that the program reports", async () => {
  const server = await startServer({ dataFolder: await tempFolder() });
  onTestFinished(async () => void (await server.stop()));
  const reported = await (await fetch(`${server.origin}/metrics`)).text();
  const metrics = named(/\b(svc_[a-z_]+[a-z])\b(?!=)/g).filter(({ name, page }) => !NO_METRICS.has(name) && page !== CHANGELOG);
  expect(metrics.length).toBeGreaterThan(10);
  expect(metrics.filter(({ name }) => !reported.includes(`# TYPE ${name} `))).toEqual([]);
});

it("every file of the repository in the documents exists, or is written by a script of package.json", () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
    readonly scripts: Readonly<Record<string, string>>;
  };
  const isWritten = (name: string) => Object.values(scripts).some((script) => script.endsWith(` ${name}`));
  const files = named(/`((?:src|test|adapters|tracker|dashboard|docs|tools)\/[\w./-]+\.\w+)`/g).filter(({ page }) => page !== CHANGELOG);
  expect(files.length).toBeGreaterThan(20);
  expect(files.filter(({ name }) => !existsSync(join(ROOT, name)) && !isWritten(name))).toEqual([]);
});

it("the docs write each event name of their examples in one way", () => {
  const spelled = named(/(?:"n":|\bn: |"event":|\b(?:svc|track)\(|\bevent:|events==)\s*"?([A-Za-z][\w-]*)/g).map(({ name }) => name);
  const names = [...new Set(spelled)];
  expect(names).toContain("Signup");
  const lowerCase = names.map((name) => name.toLowerCase());
  expect(names.filter((_, i) => lowerCase.indexOf(lowerCase[i] ?? "") !== i)).toEqual([]);
});

it("every quoted log line in the docs is written by the program", () => {
  const source = ["src", "adapters/node"].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts"))
      .map((name) => readFileSync(join(ROOT, folder, name), "utf8")),
  );
  const documented = PAGES.map(({ text }) => text.replace(/\s+/g, " ")).join("\n");
  for (const line of QUOTED_LOG_LINES) {
    expect([line, documented.includes(`\`${line}\``)]).toEqual([line, true]);
    expect([line, source.some((text) => text.includes(`"${line}`))]).toEqual([line, true]);
  }
});

it("the packages in ARCHITECTURE.md are the folders that exist", () => {
  const foldersIn = (path: string): string[] =>
    readdirSync(join(ROOT, path), { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [`${path}/${entry.name}`] : []));
  const folders = [...foldersIn("adapters"), ...foldersIn("src"), ...foldersIn("src/runtime"), "dashboard", "tracker"];
  const [, table = ""] = readPage("ARCHITECTURE.md").text.split("\n## Packages\n");
  const rows = [...table.matchAll(/^\| `([\w/]+)` \| \S/gm)].map(([, name = ""]) => name);
  expect([...rows].sort()).toEqual(folders.filter((name) => name !== "src/runtime").sort());
});

it("the packages in ARCHITECTURE.md stand above those that they import", () => {
  const [, table = ""] = readPage("ARCHITECTURE.md").text.split("\n## Packages\n");
  const rows = [...table.matchAll(/^\| `([\w/]+)` \| \S/gm)].map(([, name = ""]) => packageOf(`${name}/`));
  const upward = packageTies(importsAmong(productSources())).filter(({ from, to }) => rows.lastIndexOf(from) > rows.indexOf(to));
  expect(rows).toContain("query");
  expect(upward).toEqual([]);
});

it("every source file that ARCHITECTURE.md, CONTRIBUTING.md and docs/internals name exists, with or without its folders", () => {
  const paths = ["src", "adapters", "dashboard", "tracker", "tools", "test"].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" }).map((name) => `/${join(folder, name)}`),
  );
  const isForDevelopers = (path: string) => /^(?:ARCHITECTURE|CONTRIBUTING|docs\/internals\/.+)\.md$/.test(path);
  const files = named(/`([\w/.-]+\.(?:ts|tsx|mjs))`/g).filter(({ page }) => isForDevelopers(page));
  expect(files.length).toBeGreaterThan(50);
  expect(files.filter(({ name }) => !paths.some((path) => path.endsWith(`/${name}`)))).toEqual([]);
});
