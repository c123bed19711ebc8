/** Goals: the rules of their fields, and their order. */
import { describe, expect, it } from "vitest";
import { GOAL_KIND, goalNamed, goalsWith, inOrder, parseGoal, type GoalFields, type SiteGoal } from "../../../../src/runtime/sites/goal.ts";

const FIELDS: Omit<GoalFields, "position"> = { name: "Docs", goal: { page: "/docs/*" }, hasRevenue: false };

const item = (id: string, fields: Partial<GoalFields>): SiteGoal => ({
  id,
  createdAt: "2026-01-01T00:00:00.000Z",
  changedMs: 0,
  fields: { ...FIELDS, position: 0, ...fields },
});

describe("a goal", () => {
  it("is a page, an event, or an event with the value of a property", () => {
    expect(parseGoal({ name: "Docs", page: "/docs/*", position: 2 })).toEqual({ fields: FIELDS, place: 2 });
    expect(parseGoal({ name: "Sale", event: "purchase", revenue: true }).fields.goal).toEqual({ event: "purchase", property: null });
    expect(parseGoal({ name: "Pro", event: "signup", property: { key: "plan", value: "pro" } }).fields.goal).toEqual({
      event: "signup",
      property: { key: "plan", value: "pro" },
    });
  });

  it("is unchanged after it was stored", () => {
    for (const body of [{ page: "*" }, { event: "a", revenue: true }, { event: "a", property: { key: "k", value: "v" } }]) {
      const fields = { ...parseGoal({ name: "n", ...body }).fields, position: -0.25 };
      expect(GOAL_KIND.parse(GOAL_KIND.json(fields))).toEqual(fields);
    }
    expect(() => GOAL_KIND.parse({ name: "n", page: "/", position: "1" })).toThrow("position");
  });

  it.each([
    [{ page: "/" }, 'Field "name" is missing'],
    [{ name: " ", page: "/" }, 'Field "name" must be 1 to 100 characters'],
    [{ name: "x".repeat(101), page: "/" }, 'Field "name" must be 1 to 100 characters'],
    [{ name: "n" }, 'either a field "page" or a field "event"'],
    [{ name: "n", page: "/", event: "e" }, 'either a field "page" or a field "event"'],
    [{ name: "n", page: "docs" }, 'Field "page" must be a path'],
    [{ name: "n", page: `/${"x".repeat(512)}` }, 'Field "page" must be 1 to 512 characters'],
    [{ name: "n", event: "" }, 'Field "event" must be 1 to 256 characters'],
    [{ name: "n", page: "/", revenue: true }, 'Field "revenue" needs the field "event"'],
    [{ name: "n", page: "/", property: { key: "k", value: "v" } }, 'Field "property" needs the field "event"'],
    [{ name: "n", event: "e", property: "k" }, 'Field "property" must be an object'],
    [{ name: "n", event: "e", property: { key: "k" } }, 'Field "property.value" is missing'],
    [{ name: "n", event: "e", property: { key: "", value: "v" } }, 'Field "property.key" must be 1 to 512 characters'],
    [{ name: "n", event: "e", revenue: "yes" }, 'Field "revenue" must be true or false'],
  ])("%j is refused with the field and the rule", (body, says) => {
    expect(() => parseGoal(body)).toThrow(says);
  });
});

describe("the goals of a site", () => {
  const goals = [item("b", { name: "second", position: 2 }), item("a", { name: "first", position: 1, goal: { page: "/a" } })];

  it("come in the order of their positions", () => {
    expect(inOrder(goals).map(({ fields }) => fields.name)).toEqual(["first", "second"]);
  });

  it("are found by name, and every other name is an event name", () => {
    expect(goalNamed([item("c", { name: "first", position: 3 }), ...goals], "first")).toEqual({ page: "/a" });
    expect(goalNamed(goals, "signup")).toEqual({ event: "signup", property: null });
  });

  const at = (...positions: number[]): SiteGoal[] =>
    positions.map((position, i) => item("abc"[i] ?? "", { name: "abc"[i] ?? "", position }));

  /** What is stored when a goal is put at a place. */
  const stored = (before: readonly SiteGoal[], id: string, place: number | null, name = id) =>
    Array.from(goalsWith(before, id, { ...FIELDS, name }, place), ([each, fields]) => [each, fields?.position]);

  it("make room for a new position by storing only one goal", () => {
    expect(stored([], "a", null)).toEqual([["a", 1]]);
    expect(stored(at(1, 2, 3), "d", null)).toEqual([["d", 4]]);
    expect(stored(at(1, 2, 3), "d", 2)).toEqual([["d", 1.5]]);
    expect(stored(at(1, 2, 3), "d", 50)).toEqual([["d", 4]]);
    expect(stored(at(1, 2, 3), "c", 1)).toEqual([["c", 0]]);
    expect(stored(at(1, 2, 3), "a", 2)).toEqual([["a", 2.5]]);
    expect(stored(at(1, 2, 3), "a", 50)).toEqual([["a", 4]]);
    for (const place of [null, 2]) expect(stored(at(1, 2, 3), "b", place, "other")).toEqual([["b", 2]]);
    expect(() => stored(at(1, 2, 3), "b", null, "c")).toThrow('There is another goal of the name "c"');
  });

  it("are numbered again if two share a position, or their numbers are as close as possible", () => {
    for (const [first, second] of [
      [1, 1],
      [1, 1 + Number.EPSILON],
    ] as const)
      expect(stored(at(first, second, 9), "d", 2)).toEqual([
        ["a", 1],
        ["d", 2],
        ["b", 3],
        ["c", 4],
      ]);
    expect(stored(at(1, 1, 1), "b", null, "other")).toEqual([["b", 1]]);
  });
});
