/** Bindings of any type become strings of options. */
import { expect, it } from "vitest";
import { optionsIn } from "../../../../adapters/workerd/objects.ts";

it("options are the bindings with the prefix SVC_, whatever their type, and no others", () => {
  const bindings = {
    SVC_SITE_IDS: ["a.test", "b.test"],
    SVC_FLUSH_EVENT_COUNT: 5,
    SVC_FILTER_BOTS: false,
    SVC_SECRET: "text, as it is",
    SVC_GEOIP_DB: { path: "x" },
    PARTITIONS: {},
    OTHER: "x",
  };
  expect(optionsIn(bindings)).toEqual({
    SVC_SITE_IDS: "a.test,b.test",
    SVC_FLUSH_EVENT_COUNT: "5",
    SVC_FILTER_BOTS: "false",
    SVC_SECRET: "text, as it is",
    SVC_GEOIP_DB: '{"path":"x"}',
  });
});
