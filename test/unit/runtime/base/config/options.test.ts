/** The documented table of options is generated from the options. */

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { OPTION_NAMES, renderOptionsTable, replaceOptionsTable } from "../../../../../src/runtime/base/config/options.ts";

const CONFIGURATION = new URL("../../../../../docs/configuration.md", import.meta.url);

describe("renderOptionsTable", () => {
  const lines = renderOptionsTable().split("\n");

  it("returns a heading, a delimiter row and one row for each option, with five cells each", () => {
    expect(lines.slice(0, 2)).toEqual([
      "| Option | Environment variable | Type | Default | Description |",
      "| --- | --- | --- | --- | --- |",
    ]);
    expect(lines.slice(2, -1).map((line) => line.split(" | ")[0])).toEqual(OPTION_NAMES.map((name) => `| \`${name}\``));
    for (const line of lines.slice(0, -1)) expect(line.split(/(?<!\\)\|/)).toHaveLength(7);
    expect(lines.at(-1)).toBe("");
  });

  it.each([
    ["host", "| `host` | `SVC_HOST` | host name or IP address, without scheme and port | `127.0.0.1` | Address to listen on. Node only. |"],
    [
      "secret",
      "| `secret` | `SVC_SECRET`, `SVC_SECRET_FILE` | string of 16 to 4096 characters | generated; replaced at the end of every salt period | ",
    ],
    [
      "dashboard_origin",
      "| `dashboard_origin` | `SVC_DASHBOARD_ORIGIN` | http://host or https://host, with :port where needed and no path | none | ",
    ],
    [
      "site_ids",
      "| `site_ids` | `SVC_SITE_IDS` | list of at most 10000 entries, each a site id or host name of at most 256 ASCII letters, digits and . - _ : characters | empty (any site) | ",
    ],
    ["trust_proxy", "| `trust_proxy` | `SVC_TRUST_PROXY` | integer from 0 to 32 or a boolean (true for 1, false for 0) | `false` | "],
    ["engine_memory_mb", "| `engine_memory_mb` | `SVC_ENGINE_MEMORY_MB` | integer from 8 to 65536 | `2048`; on workerd `64` | "],
  ])("shows variable, type and default of %s", (_, start) => {
    expect(lines.filter((line) => line.startsWith(start))).toHaveLength(1);
  });
});

describe("replaceOptionsTable", () => {
  it("replaces the text between the markers and nothing else", () => {
    const document = (table: string) => `before\n<!-- options:begin -->\n${table}<!-- options:end -->\nafter\n`;
    const fresh = document(renderOptionsTable());
    expect(replaceOptionsTable(document("| old |\n"))).toBe(fresh);
    expect(replaceOptionsTable(fresh)).toBe(fresh);
  });

  it.each(["no markers", "<!-- options:begin -->", "<!-- options:end --> <!-- options:begin -->"])(
    "rejects a document without both markers in order: %s",
    (document) => {
      expect(() => replaceOptionsTable(document)).toThrow("<!-- options:begin -->");
    },
  );
});

describe("docs/configuration.md", () => {
  it("lists the options of the program", () => {
    const page = readFileSync(CONFIGURATION, "utf8");
    expect(replaceOptionsTable(page) === page, "The table of options is out of date: run `npm run docs:options`, which rewrites it.").toBe(
      true,
    );
  });
});
