/** Declared parameters: what is taken, what is refused with which message, and that the schema says the same. */
import { describe, expect, it } from "vitest";
import { text } from "../../../../src/runtime/base/json-schema.ts";
import { COMPARISONS } from "../../../../src/runtime/query/comparison.ts";
import { integer, oneOf, optionalOneOf, parseParameters, required, rowLimit } from "../../../../src/runtime/query/parameters.ts";

describe("an enum parameter", () => {
  const compare = optionalOneOf("Which window.", COMPARISONS, "A window.");
  const direction = oneOf("Which way.", ["forward", "backward"]);

  it("accepts its values, and is null or the first if missing", () => {
    expect(COMPARISONS.map((word) => compare.parse(word, "compare"))).toEqual([...COMPARISONS]);
    expect(compare.parse(null, "compare")).toBeNull();
    expect([direction.parse(null, "direction"), direction.parse("backward", "direction")]).toEqual(["forward", "backward"]);
  });

  it.each(["", "previous", "Year_Over_Year", "toString"])("refuses %j", (word) => {
    expect(() => compare.parse(word, "compare")).toThrow('"compare" must be one of previous_period, year_over_year');
  });

  it("lists its values in its schema", () => {
    expect(compare.schema.enum).toEqual(COMPARISONS);
    expect(direction.schema).toMatchObject({ enum: ["forward", "backward"], default: "forward" });
  });
});

describe("an integer parameter", () => {
  const weeks = integer({ description: "How many.", meaning: "Weeks." }, { min: 2, max: 32, default: 8 });

  it("is accepted within its bounds, and defaults if missing", () => {
    expect(["2", "32", "007"].map((value) => weeks.parse(value, "weeks"))).toEqual([2, 32, 7]);
    expect(weeks.parse(null, "weeks")).toBe(8);
  });

  it.each(["", "1", "33", "-2", "2.0", "1e1", " 2", "two", "9".repeat(16)])("is refused as %j, never clamped", (value) => {
    expect(() => weeks.parse(value, "weeks")).toThrow('"weeks" must be an integer from 2 to 32');
  });

  it("states its bounds in its schema", () => {
    expect(weeks.schema).toMatchObject({ type: "integer", minimum: 2, maximum: 32, default: 8 });
    expect(rowLimit("Rows.", 100, 10).schema).toMatchObject({ minimum: 1, maximum: 100, default: 10 });
  });
});

describe("the parameters of a request", () => {
  const parameters = {
    page: required({ description: "Which page.", schema: text("A path.") }, (value) => value.length),
    direction: oneOf("Which way.", ["forward", "backward"]),
  };

  it("the parameters of a request are parsed by name", () => {
    const given: Readonly<Record<string, string>> = { page: "/a" };
    expect(parseParameters(parameters, (name) => given[name] ?? null)).toEqual({ page: 2, direction: "forward" });
  });

  it("are refused with the name of the missing one", () => {
    expect(() => parseParameters(parameters, () => null)).toThrow('"page" is required');
  });

  it("are read only if earlier parameters ask for them", () => {
    const read = (given: Readonly<Record<string, string>>) =>
      parseParameters(
        {
          mode: oneOf("A mode.", ["plain", "full"]),
          size: { ...optionalOneOf("A size.", ["big"], "Big."), isRead: ({ mode }) => mode === "full" },
        },
        (name) => given[name] ?? null,
      );
    expect(read({ size: "wrong" })).toEqual({ mode: "plain", size: null });
    expect(read({ mode: "full", size: "big" })).toEqual({ mode: "full", size: "big" });
    expect(() => read({ mode: "full", size: "wrong" })).toThrow('"size" must be one of big');
  });
});
