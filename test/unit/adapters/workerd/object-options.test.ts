/** Bindings of any type become the texts of options. */
import { expect, it } from "vitest";
import { optionsIn } from "../../../../adapters/workerd/object-options.ts";

it("takes variables of the service's prefix, whatever their type, and no other bindings", () => {
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
