import { readFileSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AppError } from "../../../../src/runtime/base/errors.ts";
import {
  checkSyntax,
  columnOf,
  type Condition,
  conditionsOn,
  type Dimension,
  DIMENSIONS,
  distinctConditions,
  filterText,
  isDimension,
  keyOfConditions,
  parseDimension,
  parseSegmentFilter,
  SESSION_DIMENSIONS,
} from "../../../../src/runtime/query/filters.ts";
import type { SiteGoal } from "../../../../src/runtime/sites/goal.ts";
import { EVENT_COLUMNS } from "../../../../src/storage/event.ts";
import { character } from "../../../support/character.ts";
import { DIMENSION_NAMES, DIMENSION_ROWS } from "../../../support/dimension-rows.ts";

const ROOT = fileURLToPath(new URL("../../../../", import.meta.url));

const condition = (dimension: Condition["dimension"], operator: "==" | "!=", ...values: string[]): Condition => ({
  dimension,
  test: { kind: "is", values },
  isNegated: operator === "!=",
});

const tested = (dimension: Condition["dimension"], kind: Condition["test"]["kind"], ...values: string[]): Condition => ({
  dimension,
  test: { kind, values },
  isNegated: false,
});

const not = (of: Condition): Condition => ({ ...of, isNegated: true });

describe("parseSegmentFilter", () => {
  it("returns no conditions for a missing or empty string", () => {
    expect(parseSegmentFilter(null)).toEqual([]);
    expect(parseSegmentFilter("")).toEqual([]);
  });

  it.each<[text: string, conditions: Condition[]]>([
    ["pages==/a", [condition("pages", "==", "/a")]],
    ["pages!=/a", [condition("pages", "!=", "/a")]],
    ["pages===a", [condition("pages", "==", "=a")]],
    ["pages!==a", [condition("pages", "!=", "=a")]],
    ["pages==!=a", [condition("pages", "==", "!=a")]],
    ["pages!=!=a", [condition("pages", "!=", "!=a")]],
    ["pages==os==Linux", [condition("pages", "==", "os==Linux")]],
    ["pages==a,b", [condition("pages", "==", "a,b")]],
    ["pages==a\nb", [condition("pages", "==", "a\nb")]],
    ["pages== ", [condition("pages", "==", " ")]],
    ["utm-sources==(unknown)", [condition("utm-sources", "==", "(unknown)")]],
    ["pages==/a;os!=Linux", [condition("os", "!=", "Linux"), condition("pages", "==", "/a")]],
    ["pages==/b;pages==/a", [condition("pages", "==", "/a"), condition("pages", "==", "/b")]],
    ["pages==/a;pages==/a", [condition("pages", "==", "/a")]],
    ["pages==/a;pages!=/a", [condition("pages", "!=", "/a"), condition("pages", "==", "/a")]],
    ["pages=in=/a", [condition("pages", "==", "/a")]],
    ["pages=in=(/b,/a,/b)", [condition("pages", "==", "/a", "/b")]],
    ["pages=!in=(/a,(unknown))", [condition("pages", "!=", "(unknown)", "/a")]],
    ["pages=in=(a%2Cb,%28c%29,100%25)", [condition("pages", "==", "(c)", "100%", "a,b")]],
    ["pages=contains=a,b", [tested("pages", "contains", "a,b")]],
    ["pages=contains==a", [tested("pages", "contains", "=a")]],
    ["pages=!contains=(a,b)", [not(tested("pages", "contains", "a", "b"))]],
    ["pages=begins=/docs", [tested("pages", "begins", "/docs")]],
    ["pages=like=/*/edit", [tested("pages", "like", "/*/edit")]],
    ["pages=matches=^/(a|b)%3B", [tested("pages", "matches", "^/(a|b);")]],
    ["pages=matches=(?i)^/[а-яё0-9]+-[\\x{4e00}-\\x{4eff}]$", [tested("pages", "matches", "(?i)^/[а-яё0-9]+-[\\x{4e00}-\\x{4eff}]$")]],
    ["pages=!matches=%28a%29", [not(tested("pages", "matches", "(a)"))]],
    ["pages=matches=(a|b)", [tested("pages", "matches", "(a|b)")]],
    ["pages=matches=(a)(b)", [tested("pages", "matches", "(a)(b)")]],
    ["pages=matches=(a%2Cb)", [tested("pages", "matches", "(a,b)")]],
    ["pages=matches=(/a{1},[bc],\\(d\\))", [tested("pages", "matches", "/a{1}", "[bc]", "\\(d\\)")]],
    ["pages=matches=(a,\\%28d)", [tested("pages", "matches", "\\(d", "a")]],
    ["pages=matches=(a,\\%5Bd)", [tested("pages", "matches", "\\[d", "a")]],
    ["pages=matches=(\\(a%2Cb\\))", [tested("pages", "matches", "(\\(a,b\\))")]],
    ["pages=matches=%28/a{1%2C2}%29", [tested("pages", "matches", "(/a{1,2})")]],
    ["props:==a", [condition("props:", "==", "a")]],
    ["entry-page==/a;exit-page!=/b", [condition("entry-page", "==", "/a"), condition("exit-page", "!=", "/b")]],
    ["goal=in=(Signup,Buy)", [condition("goal", "==", "Buy", "Signup")]],
    ["props:plan==a%20b", [condition("props:plan", "==", "a%20b")]],
    ["props:a%3Db%25.c=contains=x", [tested("props:a=b%.c", "contains", "x")]],
  ])("parses %j", (text, conditions) => {
    expect(parseSegmentFilter(text)).toEqual(conditions);
    expect(parseSegmentFilter(filterText(conditions))).toEqual(conditions);
  });

  it.each<[text: string, message: string]>([
    ["pages", '"filters": the condition "pages" has no operator; use dimension==value or dimension!=value, or one of in, contains'],
    ["pages=a", '"filters": the condition "pages=a" has no operator; use dimension==value or dimension!=value'],
    ["pages==/a;", '"filters": the condition "" has no operator; use dimension==value or dimension!=value'],
    ["pages==", '"filters": the condition on "pages" has an empty value'],
    ["os!=;pages==/a", '"filters": the condition on "os" has an empty value'],
    ["entry-pages==/a", '"filters": the dimension "entry-pages" cannot be filtered on'],
    ["exit-pages==/a", '"filters": the dimension "exit-pages" cannot be filtered on'],
    ["pathname==/a", `"filters": there is no dimension "pathname"; there are ${DIMENSIONS.join(", ")}, entry-page`],
    [`pages==${"a".repeat(513)}`, '"filters": the value for "pages" must be at most 512 characters'],
    [Array.from({ length: 13 }, () => "pages==/a").join(";"), '"filters" must have at most 12 conditions'],
    ["pages=contain=a", '"filters": the condition "pages=contain=a" has no operator'],
    ["pages=!=a", '"filters": the condition "pages=!=a" has no operator'],
    ["pages=in=", '"filters": the condition on "pages" has an empty value'],
    ["pages=in=()", '"filters": the condition on "pages" has an empty value'],
    ["pages=in=(a,)", '"filters": the condition on "pages" has an empty value'],
    ["pages=matches=()", '"filters": the condition on "pages" has an empty value'],
    ["pages=matches=(,)", '"filters": the condition on "pages" has an empty value'],
    ["pages=matches=(\\(a,b\\))", "its commas cut a regular expression in parts: write %2C for a comma of an expression"],
    ["pages=matches=(\\[a,b\\])", "its commas cut a regular expression in parts: write %2C for a comma of an expression"],
    ["pages=begins=100%", '"filters": the value for "pages" has a "%" that begins no escape'],
    [`pages=in=(${Array.from({ length: 101 }, (_, i) => i).join(",")})`, '"filters" must have at most 100 values'],
    [`pages=in=(${"a,".repeat(101)}b)`, '"filters" must have at most 100 values'],
    [
      `pages=in=(${Array.from({ length: 60 }, (_, i) => i).join(",")});os=in=(${Array.from({ length: 41 }, (_, i) => i).join(",")})`,
      '"filters" must have at most 100 values',
    ],
    ["pages=matches=(a{10}){100}", '"filters": the regular expression for "pages" is too large'],
    [`pages=matches=${"a".repeat(257)}`, '"filters": the regular expression for "pages" must be at most 256 characters'],
    [
      `pages=matches=(${Array.from({ length: 6 }, (_, i) => i).join(",")})`,
      '"filters" must have at most 5 regular expressions in all conditions',
    ],
    ["pages=matches=a{501}", '"filters": the regular expression for "pages" is too large'],
    [`pages=matches=${"[^a]".repeat(11)}`, '"filters": the regular expression for "pages" must have at most 10 classes of characters'],
    [`pages=matches=${"\\PL".repeat(11)}`, '"filters": the regular expression for "pages" must have at most 10 classes of characters'],
    ["pages=matches=(?i)[\\x{80}-\\x{10FFFF}]", "and ranges of at most 2000 characters in all"],
    ["pages=matches=(?i)[\\x{80}-\\x{0010FFFF}]", "and ranges of at most 2000 characters in all"],
    ["pages=matches=(?i)[\u0080-\u{10FFFF}]", "and ranges of at most 2000 characters in all"],
    ["pages=matches=[а-я][\\x{4e00}-\\x{52ff}\\x{6000}-\\x{63ff}]", "and ranges of at most 2000 characters in all"],
    ...["(/a{1,2})", "(a|(b,c))", "(a),(b)", "(a[,]b)"].map((value): [string, string] => [
      `pages=matches=${value}`,
      "its commas cut a regular expression in parts: write %2C for a comma",
    ]),
    ["props:100%==a", '"filters": the key of a property has a "%" that begins no escape'],
    ["prop==a", '"filters": there is no dimension "prop"'],
  ])("refuses %j", (text, message) => {
    const refused = expect(() => parseSegmentFilter(text));
    refused.toThrow(AppError);
    refused.toThrow(message);
  });

  // No other test has these expressions, so none of them is known.
  it.each(["pages=matches=unclosed%28", "pages=matches=ahead%28?=b%29", "goal=matches=goal%28", "pages=!matches=twice**;pages==/a"])(
    "leaves the syntax of the expression in %j to a check with a turn for each expression",
    async (text) => {
      const conditions = parseSegmentFilter(text);
      const works: unknown[] = [];
      const inTurn = async <Result>(work: () => Result): Promise<Result> => {
        works.push(work);
        return work();
      };
      const refused = expect(checkSyntax(conditions, inTurn)).rejects;
      await refused.toThrow(/^"filters": the regular expression for "(?:pages|goal)" is no regular expression in the syntax of RE2: ./);
      expect(works.length).toBe(1);
    },
  );

  it("returns the expressions of a filter, which are compiled one by one, each once", async () => {
    let turns = 0;
    const inTurn = async <Result>(work: () => Result): Promise<Result> => {
      turns++;
      return work();
    };
    const conditions = parseSegmentFilter("pages=matches=(once-a,once-b,once-c);sources=matches=once-a");
    await checkSyntax(conditions, inTurn);
    expect(turns).toBe(3);
    await checkSyntax(conditions, inTurn);
    expect(turns).toBe(3);
  });

  it("returns equal filters for equal sets of conditions, in any order", () => {
    const value = fc.string({ minLength: 1, unit: "grapheme" }).filter((text) => !text.includes(";"));
    const spelled = fc
      .tuple(fc.constantFrom(...DIMENSIONS), fc.constantFrom("==", "!="), value)
      .map(([dimension, operator, text]) => `${dimension}${operator}${text}`);
    fc.assert(
      fc.property(fc.array(spelled, { minLength: 1, maxLength: 6 }), fc.infiniteStream(fc.nat()), (conditions, order) => {
        const shuffled = [...conditions, ...conditions]
          .map((text) => ({ text, at: order.next().value as number }))
          .sort((a, b) => a.at - b.at)
          .map(({ text }) => text);
        expect(parseSegmentFilter(shuffled.join(";"))).toEqual(parseSegmentFilter(conditions.join(";")));
      }),
    );
  });

  it("round-trips: a formatted filter parses to the same filter", () => {
    const value = fc.string({ minLength: 1, maxLength: 20, unit: character });
    const key = value.map((text) => `props:${text}` as const);
    const conditions = fc.array(
      fc.record({
        dimension: fc.oneof(fc.constantFrom(...DIMENSIONS, "entry-page" as const, "exit-page" as const, "goal" as const), key),
        test: fc.record({
          kind: fc.constantFrom("is" as const, "contains" as const, "begins" as const, "like" as const),
          values: fc.uniqueArray(value, { minLength: 1, maxLength: 4 }).map((texts) => texts.toSorted()),
        }),
        isNegated: fc.boolean(),
      }),
      { minLength: 1, maxLength: 6 },
    );
    fc.assert(
      fc.property(conditions, (list) => {
        const distinct = distinctConditions(list);
        expect(parseSegmentFilter(filterText(distinct))).toEqual(distinct);
      }),
    );
  });

  it("parses any string or refuses it with a reason", () => {
    const piece = fc.oneof(
      fc.constantFrom(
        "pages",
        "os",
        "entry-pages",
        "props:",
        "goal",
        "==",
        "!=",
        "=",
        "!",
        ";",
        "(unknown)",
        "=in=",
        "=!like=",
        "=matches=",
        "(",
        ",",
        ")",
        "%",
        "%2C",
      ),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        try {
          parseSegmentFilter(pieces.join(""));
        } catch (error) {
          expect(error).toBeInstanceOf(AppError);
          expect((error as AppError).failure).toEqual({ code: "invalid_input" });
        }
      }),
    );
  });
});

describe("dimensions", () => {
  it("read a column of their own each", () => {
    expect(new Set(DIMENSIONS.map(columnOf)).size).toBe(DIMENSIONS.length);
  });

  it("each read the column of the field in test/support/dimension-rows.ts", () => {
    const fieldOf = (dimension: Dimension) => EVENT_COLUMNS.find(({ name }) => name === columnOf(dimension))?.field;
    expect(DIMENSIONS.map((dimension) => [dimension, fieldOf(dimension)])).toEqual(
      DIMENSION_NAMES.map((dimension) => [dimension, DIMENSION_ROWS[dimension].field]),
    );
  });

  it("are all listed on each docs page that lists dimensions", () => {
    const documents = ["README.md", ...readdirSync(`${ROOT}docs`).map((name) => `docs/${name}`)]
      .filter((path) => path.endsWith(".md"))
      .map((path) => ({ path, text: readFileSync(ROOT + path, "utf8") }))
      .filter(({ text }) => text.includes("`utm-terms`"));
    expect(documents.length).toBeGreaterThan(0);
    const missing = documents.flatMap(({ path, text }) =>
      [...DIMENSIONS, ...SESSION_DIMENSIONS].filter((slug) => !text.includes(`\`${slug}\``)).map((slug) => `${path}: ${slug}`),
    );
    expect(missing).toEqual([]);
  });

  it.each(["toString", "__proto__", "constructor", "", "entry-pages", "Pages"])("do not include %j", (slug) => {
    expect(isDimension(slug)).toBe(false);
  });

  it.each(["entry-pages", "exit-pages"])("include %s for breakdowns", (slug) => {
    expect(parseDimension(slug)).toBe(slug);
  });
});

describe("keyOfConditions", () => {
  const goalNamed = (name: string): SiteGoal => ({
    id: name,
    createdAt: "2026-01-01T00:00:00.000Z",
    changedMs: 0,
    fields: { name, goal: { page: `/${name.length}` }, hasRevenue: false, position: 1 },
  });
  const keyOf = (filters: string, names: readonly string[]) =>
    JSON.stringify(keyOfConditions(conditionsOn(parseSegmentFilter(filters), () => names.map(goalNamed))));

  it("differs for other conditions, and for other goals of the site only if a condition is on goals", () => {
    const [filters, names] = ["goal==a;pages==/", ["a", "b"]];
    expect(keyOf(filters, names)).toBe(keyOf("pages==/;goal==a", names));
    expect(keyOf(filters, names)).not.toBe(keyOf("goal==b;pages==/", names));
    expect(keyOf(filters, names)).not.toBe(keyOf(filters, ["a", "c"]));
    expect(keyOf("pages==/", names)).toBe(keyOf("pages==/", []));
  });

  it("contains each goal once, however many conditions are on goals", () => {
    expect(keyOf("goal!=a;goal!=b;goal!=c", ["only once"]).split("only once")).toHaveLength(2);
  });
});
