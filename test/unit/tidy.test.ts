/** Rules about the source that the linter cannot hold. Each failure says what to do instead. */
import { describe, expect, it } from "vitest";
import { productSources, sourcesBelow, type SourceFile } from "../support/source-files.ts";

/** The one file that may import each package; of hash-wasm, one for each hash. */
const OWNERS: Readonly<Record<string, string | readonly string[]>> = {
  re2js: "src/runtime/query/text-matching.ts",
  "itty-router": "src/handlers/router.ts",
  hyparquet: ["src/storage/parquet-columns.ts", "src/runtime/imports/files/parquet.ts"],
  "hyparquet/src/column.js": "src/storage/parquet-columns.ts",
  "hyparquet/src/delta.js": "src/storage/rollup-file.ts",
  "hyparquet-writer/src/datapage.js": "src/storage/rollup-file.ts",
  "hyparquet-writer": ["src/storage/parquet-events.ts", "src/storage/rollup-file.ts"],
  "ua-parser-js": "src/runtime/ingest/device.ts",
  isbot: "src/runtime/ingest/device.ts",
  "hash-wasm": ["src/runtime/ingest/visitor-salt.ts", "src/runtime/access/password-hasher.ts", "src/runtime/base/bytes.ts"],
  "apache-arrow": "src/runtime/duckdb/tables/arrow.ts",
  "@clickhouse/client-web": "adapters/clickhouse-connection.ts",
  "@duckdb/duckdb-wasm/blocking": "adapters/node/threads/duckdb-instance.ts",
  "@whatwg-node/fetch": "adapters/node/http/fetch-classes.ts",
  "@whatwg-node/server": "adapters/node/http/server.ts",
  uplot: "dashboard/charts/chart-drawing.ts",
  "mmdb-lib": "adapters/node/geo-database.ts",
  "cloudflare:workers": "adapters/workerd/service-object.ts",
  "smol-toml": "adapters/node/config-sources.ts",
  fflate: ["dashboard/settings/event-archive.ts", "src/runtime/exports/zip-stream.ts", "src/runtime/imports/files/decompression.ts"],
  saxes: "src/runtime/imports/formats/matomo.ts",
};

/** What the whole dashboard is written in. */
const DASHBOARD_LANGUAGE = ["preact", "preact/hooks", "@preact/signals"];

const src = sourcesBelow("src");
const product = productSources();

const pathsWhere = (files: readonly SourceFile[], isWrong: (file: SourceFile) => boolean): string[] =>
  files.filter(isWrong).map(({ path }) => path);

/** How comments and titles of tests used to cite documents that are not in the repository. A class keeps this line from matching itself. */
const OUTSIDE_DOCUMENT = /[Cc]ontract \d|decision[s]|\u00a7/;

const citationsOfOutsideDocuments = (files: readonly SourceFile[]): string[] =>
  files.flatMap(({ path, text }) => text.split("\n").flatMap((line, i) => (OUTSIDE_DOCUMENT.test(line) ? [`${path}:${i + 1}`] : [])));

/** A doc comment that leaves its subject to the reader: "By address.", "Of inserts.", "Null without one." */
const WITHOUT_SUBJECT = new RegExp(
  String.raw`/\*\*\s+(?:\*\s+)?((?:` +
    "Above|After|Against|Also|Among|As|At|Because|Before|Behind|Below|Beside|Besides|Between|Beyond|By|During|Except|For|From|In|Inside|" +
    "Into|Like|Near|Null|Of|On|Out|Outside|Over|Since|That of|The same|Those|Through|To|Under|Until|Upon|While|Whose|With|Within|Without" +
    String.raw`)(?![\w-])[^\n]*)`,
  "g",
);

const commentsWithoutSubject = (files: readonly SourceFile[]): string[] =>
  files.flatMap(({ path, text }) =>
    [...text.matchAll(WITHOUT_SUBJECT)].map(({ 1: comment, index }) => `${path}:${text.slice(0, index).split("\n").length}: ${comment}`),
  );

describe("the source", () => {
  it("opens every file with a comment that states its decision", () => {
    expect(pathsWhere(product, ({ text }) => !text.startsWith("/**"))).toEqual([]);
  });

  it("begins every doc comment with its subject, not with a preposition: say what it is, or that it is null if …", () => {
    const scripts = ["adapters", "tools"].flatMap((folder) => sourcesBelow(folder, /\.(?:mjs|d\.mts)$/));
    expect(commentsWithoutSubject([...product, ...sourcesBelow("tools"), ...scripts])).toEqual([]);
    expect(commentsWithoutSubject([{ path: "a.ts", text: "\n/**\n * By address. */\n/** In-memory store. */" }])).toEqual([
      "a.ts:2: By address. */",
    ]);
  });

  it("imports each package in its owner file only; ask the owner for what you need", () => {
    const strays = product.flatMap(({ path, text }) =>
      [...text.matchAll(/from "([^."][^"]*)"/g)]
        .map((match) => match[1] ?? "")
        .filter((name) => !name.startsWith("node:") && ![OWNERS[name]].flat().includes(path))
        .filter((name) => !(path.startsWith("dashboard/") && DASHBOARD_LANGUAGE.includes(name)))
        .map((name) => `${path} imports ${name}`),
    );
    expect(strays).toEqual([]);
  });

  it("takes time and randomness from the host: no clock, no randomness, no timer in src", () => {
    expect(
      pathsWhere(src, ({ text }) => /Date\.now\(|new Date\(\)|Math\.random\(|randomUUID\(|getRandomValues\(|performance\.now\(/.test(text)),
    ).toEqual([]);
  });

  it("spells the product's prefix in names.ts only", () => {
    const allowed = new Set(["src/shared/names.ts", "tracker/names.ts"]);
    const code = (text: string) => text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/\/\/.*$/gm, "");
    expect(pathsWhere(product, ({ path, text }) => !allowed.has(path) && /["'`/]svc\b|SVC_/.test(code(text)))).toEqual([]);
  });

  it("cites documents of this repository only; name the section of docs/http-api.md, an RFC or a paper instead", () => {
    expect(citationsOfOutsideDocuments([...product, ...sourcesBelow("test")])).toEqual([]);
  });

  it("leaves no marker of unfinished work", () => {
    expect(pathsWhere(product, ({ text }) => /\b(TODO|FIXME|XXX|HACK)\b/.test(text))).toEqual([]);
  });
});
