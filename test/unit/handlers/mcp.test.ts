/** What agents read of strangers' texts, and the tools, which are the documented reports (docs/agents.md). */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { UNTRUSTED, withoutHidden } from "../../../src/handlers/mcp/strangers-texts.ts";
import { TOOLS } from "../../../src/handlers/mcp/tools.ts";
import { siteOfCall } from "../../../src/handlers/mcp.ts";
import type { Schema } from "../../../src/runtime/base/json-schema.ts";
import { REPORTS } from "../../../src/runtime/reports/registry.ts";

const cleaned = (text: string): unknown => JSON.parse(withoutHidden(JSON.stringify(text)));

describe("texts of strangers", () => {
  it.each([
    ["control characters", "/a\n\r\t\0\b\f\u001b[31m\u007f\u0085b", "/a[31mb"],
    ["bidirectional characters", "/\u202Egnp.exe\u202C\u2066x\u2069\u200E\u200F\u061C", "/gnp.exex"],
    ["zero-width and separating characters", "/a\u200Bb\u2060c\uFEFFd\u2028e\u2029f\u00ADg", "/abcdefg"],
    ["invisible tags", "/a\u{E0001}\u{E0049}\u{E0067}\u{E01EF}b", "/ab"],
    ["variation selectors that stand for bytes", "a\uFE00\uFE05\u{E0100}b", "ab"],
    ["lone surrogates", "/a\uD800b\uDC00c", "/abc"],
  ])("lose %s", (_what, text, wanted) => {
    expect(cleaned(text)).toBe(wanted);
  });

  it.each(["/café", "/日本", "C:\\new\\table", 'a "quote" \\\\n', "👩‍💻", "می‌خواهم", "❤️", "a/b \\u0041"])("keep %s", (text) => {
    expect(cleaned(text)).toBe(text);
  });

  it("stay JSON, and numbers keep their digits", () => {
    fc.assert(
      fc.property(fc.json({ stringUnit: "binary" }), (json) => {
        const clean = withoutHidden(JSON.stringify(JSON.parse(json)));
        expect(() => JSON.parse(clean) as unknown).not.toThrow();
        expect(withoutHidden(clean)).toBe(clean);
      }),
    );
    expect(withoutHidden('{"total":12345678901234567.89,"a\\u0007":[1e3]}')).toBe('{"total":12345678901234567.89,"a":[1e3]}');
  });
});

interface Listed {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Schema;
  readonly outputSchema: Schema;
  readonly annotations: object;
}

const LISTED = [...TOOLS.values()].map(({ listed }) => listed as Listed);

describe("the tools", () => {
  it("are the reports, the sites, and what is set for sites", () => {
    const reports = REPORTS.map(({ operationId }) => operationId.replace(/^get/, "").replace(/(?<=.)([A-Z])/g, "_$1"));
    expect([...TOOLS.keys()]).toEqual(["sites", ...reports.map((name) => name.toLowerCase()), "list_goals", "list_segments"]);
  });

  it.each(LISTED)("$name is read-only, and says what its figures mean and that texts are not to be trusted", (tool) => {
    expect(tool.annotations).toMatchObject({ readOnlyHint: true, destructiveHint: false });
    expect(tool.description).toContain(UNTRUSTED);
    expect(tool.description).toMatch(/\nFields of the answer:\n(?:- \w+: .+\n)+\n/);
    expect(tool.inputSchema).toMatchObject({ type: "object", additionalProperties: false });
    expect(tool.outputSchema.type).toBe("object");
    expect(JSON.stringify(tool)).not.toContain("$ref");
    const bare = Object.entries(tool.inputSchema.properties ?? {}).filter(([, { description = "" }]) => description.length < 5);
    expect(bare).toEqual([]);
  });

  it("have texts and integers for arguments, which a URL can have", () => {
    const types = LISTED.flatMap(({ inputSchema }) => Object.values(inputSchema.properties ?? {}).map(({ type }) => type));
    expect([...new Set(types)]).toEqual(["string", "integer"]);
  });

  it("have no argument for files", () => {
    const names = LISTED.flatMap(({ inputSchema }) => Object.keys(inputSchema.properties ?? {}));
    expect(names).toContain("filters");
    expect(names.filter((name) => ["format", "bom", "X-Progress-Id"].includes(name))).toEqual([]);
  });
});

describe("the site of a call", () => {
  const call = (args: unknown, method = "tools/call") =>
    siteOfCall(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { name: "main", arguments: args } }));

  it("is that of its arguments", () => {
    expect(call({ site_id: "example.com" })).toBe("example.com");
  });

  it.each([{ site_id: "a b" }, { site_id: ["example.com"] }, {}, null, [], "example.com", { site_id: "x".repeat(257) }])(
    "is null for %j",
    (args) => {
      expect(call(args)).toBeNull();
    },
  );

  it("is null for other methods and other bodies", () => {
    expect(call({ site_id: "example.com" }, "tools/list")).toBeNull();
    for (const body of ["", "{", "[]", "null", "1", '{"jsonrpc":"2.0","method":"tools/call","params":[]}'])
      expect(siteOfCall(body)).toBeNull();
  });
});
