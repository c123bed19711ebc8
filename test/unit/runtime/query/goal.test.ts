/** The SQL of goals. */
import { describe, expect, it } from "vitest";
import { goalSql } from "../../../../src/runtime/query/conditions.ts";
import { sql } from "../../../../src/runtime/query/sql.ts";

const EVENTS = sql`SELECT * FROM events`;

describe("a goal's SQL", () => {
  it("selects page views of the path, or events of the name", () => {
    const page = goalSql({ page: "/docs/*" }, EVENTS);
    expect(page.text).toContain("event_name = $1 AND pathname IN");
    expect(page.values).toEqual([{ text: "pageview" }, { test: { kind: "like", values: ["/docs/*"] }, of: "pathname" }]);
    const event = goalSql({ event: "signup", property: null }, EVENTS);
    expect([event.text, event.values]).toEqual(["event_name = $1", [{ text: "signup" }]]);
  });

  it("selects events with exactly the value of the property", () => {
    const { text, values } = goalSql({ event: "signup", property: { key: "plan", value: "pro" } }, EVENTS);
    expect(text).toContain("event_name = $1 AND props IN");
    expect(values).toEqual([{ text: "signup" }, { propertyTest: { key: "plan", test: { kind: "is", values: ["pro"] } } }]);
  });
});
