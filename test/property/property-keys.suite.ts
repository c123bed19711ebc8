/** Whatever keys events have: each that the report of keys lists can be asked for, with the counts of the model. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FILTER_VALUE_CHARS_MAX } from "../../src/shared/limits.ts";
import type { InProcessTarget, MakeInProcessTarget } from "../support/in-process-target.ts";
import { expectAccepted, post, wireEvent } from "../support/requests.ts";
import { visitor } from "../support/stats-requests.ts";
import { anEvent, siteId } from "../support/stored-event.ts";
import { dayOf, daysOfPeriod, propertiesOf, propertyValuesOf, type Scope } from "./model.ts";
import { PROPERTY_TIMEOUT_MS, runsOf, type Runs } from "./settings.ts";

/** Characters that mean something to JSON, URLs, SQL, JSON paths or dotted keys. */
const special = fc.string({
  unit: fc.constantFrom('"', "'", "\\", ".", "%", "&", "=", "/", "$", "[", "*", "~", ";", "\0", "\n", " ", "a"),
});

/** `__proto__` is not recorded. */
const key = fc
  .oneof(
    fc.constantFrom("plan", "plan name", "größe", "", "a", "a.b", "constructor", "(unknown)", "null"),
    special,
    fc.string({ unit: "binary" }),
    fc.string({ unit: "grapheme", minLength: 200, maxLength: 300 }),
  )
  .filter((text) => text !== "__proto__");

const { properties } = fc.letrec<{ properties: Record<string, unknown> }>((tie) => ({
  properties: fc.dictionary(
    key,
    fc.oneof(
      { maxDepth: 2, depthIdentifier: "keys" },
      { weight: 4, arbitrary: fc.oneof(fc.constantFrom("pro", "free", null, true), fc.nat({ max: 3 }), fc.string({ unit: "binary" })) },
      { weight: 1, arbitrary: tie("properties") },
    ),
    { maxKeys: 4, noNullPrototype: true },
  ),
}));

interface Sent {
  readonly by: number;
  readonly name: string;
  readonly props: string;
}

const sent: fc.Arbitrary<Sent> = fc.record({
  by: fc.integer({ min: 1, max: 3 }),
  name: fc.constantFrom("pageview", "Signup"),
  props: properties.map((object) => JSON.stringify(object)),
});

const SITE = "keys.test";

async function answer(target: InProcessTarget, endpoint: string, parameters: Readonly<Record<string, string>>): Promise<unknown> {
  const query = new URLSearchParams({ site_id: SITE, period: "day", ...parameters });
  const response = await target.fetch(`/api/stats/${endpoint}?${query.toString()}`);
  expect(response.status, await response.clone().text()).toBe(200);
  return response.json();
}

async function check(makeTarget: MakeInProcessTarget, all: readonly Sent[], isFlushed: boolean): Promise<void> {
  const target = await makeTarget({ SVC_TRUST_PROXY: "1" });
  for (const { by, name, props } of all) await expectAccepted(await post(target, wireEvent(SITE, { n: name, p: props }), visitor(by)));
  if (isFlushed) await target.flush();
  const timestampMs = target.nowMs();
  const events = all.map(({ by, name, props }) =>
    anEvent({ siteId: siteId(SITE), visitorId: BigInt(by), eventName: name, props, timestampMs }),
  );
  const scope: Scope = { siteId: SITE, ...daysOfPeriod("day", dayOf(timestampMs)), conditions: [] };
  const keys = propertiesOf(events, scope);
  expect(await answer(target, "properties", {})).toEqual(keys);
  for (const name of keys) {
    expect({ name, rows: await answer(target, "property-values", { name }) }).toEqual({
      name,
      rows: propertyValuesOf(events, scope, name, null),
    });
  }
  // The empty key is the first.
  const [filtered] = keys.filter((text) => [...text].length <= FILTER_VALUE_CHARS_MAX);
  if (filtered !== undefined) {
    const count = propertyValuesOf(events, scope, filtered, null).reduce((sum, row) => sum + row.events, 0);
    const filters = `props:${encodeURIComponent(filtered).replaceAll("!", "%21")}!=(unknown)`;
    expect({ filters, main: await answer(target, "main", { filters }) }).toMatchObject({ filters, main: { total_events: count } });
  }
  const found = (texts: readonly string[], search: string) => texts.filter((text) => text.toLowerCase().includes(search.toLowerCase()));
  for (const search of ["A", "ro", "%", "~"]) {
    expect({ search, keys: await answer(target, "properties", { search }) }).toEqual({ search, keys: found(keys, search) });
    const [name] = keys;
    if (name === undefined) continue;
    const rows = propertyValuesOf(events, scope, name, null).filter(({ value }) => found([value], search).length > 0);
    expect({ name, search, rows: await answer(target, "property-values", { name, search }) }).toEqual({ name, search, rows });
  }
  await target.close();
}

export function describePropertyKeys(makeTarget: MakeInProcessTarget, runs: Runs): void {
  describe("custom properties", () => {
    it(
      "every listed key of custom properties can be queried, with the counts of the model",
      async () => {
        const holds = fc.asyncProperty(fc.array(sent, { minLength: 1, maxLength: 6 }), fc.boolean(), (all, isFlushed) =>
          check(makeTarget, all, isFlushed),
        );
        await fc.assert(holds, runsOf(runs));
      },
      PROPERTY_TIMEOUT_MS,
    );
  });
}
