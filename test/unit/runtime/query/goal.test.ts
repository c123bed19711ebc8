/** The SQL of goals. */
import { describe, expect, it } from "vitest";
import { goalSql } from "../../../../src/runtime/query/goal.ts";
import { sql } from "../../../../src/runtime/query/sql.ts";

const EVENTS = sql`SELECT * FROM events`;

describe("a goal's SQL", () => {
  it("is that of a page view of the path, or of an event of the name", () => {
    const page = goalSql({ page: "/docs/*" }, EVENTS);
    expect(page.text).toContain("event_name = $1 AND pathname IN");
    expect(page.values).toEqual([{ text: "pageview" }, { test: { kind: "like", values: ["/docs/*"] }, of: "pathname" }]);
    const event = goalSql({ event: "signup", property: null }, EVENTS);
    expect([event.text, event.values]).toEqual(["event_name = $1", [{ text: "signup" }]]);
  });

  it("is that of an event with exactly the value of the property", () => {
    const { text, values } = goalSql({ event: "signup", property: { key: "plan", value: "pro" } }, EVENTS);
    expect(text).toContain("event_name = $1 AND props IN");
    expect(values).toEqual([{ text: "signup" }, { propertyTest: { key: "plan", test: { kind: "is", values: ["pro"] } } }]);
  });
});
