/** The flow of the command `rename`: what it prints, and what it leaves. */
import { expect, it } from "vitest";
import { renameSite } from "../../../../adapters/node/commands/rename-flow.ts";
import { parseSiteId } from "../../../../src/runtime/base/config/names.ts";
import { createInProcessTarget } from "../../../support/in-process-target.ts";
import { createMemoryObjectStore } from "../../../support/memory-object-store.ts";
import { getMain, record, wireEvent } from "../../../support/requests.ts";

const [OLD, NEW] = [parseSiteId("old.test", "site"), parseSiteId("new.test", "name")];

async function opened() {
  const objects = createMemoryObjectStore();
  const target = await createInProcessTarget({}, { objects });
  await record(target, wireEvent(OLD));
  return { objects, target, run: () => renameSite(target.services, OLD, NEW) };
}

it("renames a site whose events are still in the journal", async () => {
  const { target, run } = await opened();
  expect(await run()).toEqual({
    succeeded: true,
    text: "old.test is new.test now: events on 1 day. The old name stands for it until 2026-06-13.\n",
  });
  expect(await getMain(target, NEW, { period: "all" })).toMatchObject({ total_pageviews: 1 });
  await expect(run()).rejects.toThrow('"old.test" is another name of the site "new.test"');
  await target.close();
});

it("leaves a site with a damaged file as it is, and says why", async () => {
  const { objects, target, run } = await opened();
  await target.flush();
  const [{ key } = { key: "" }] = await objects.list("events");
  await objects.put(key, new Uint8Array(9));
  expect(await run()).toMatchObject({
    succeeded: false,
    text: expect.stringContaining(`Nothing is renamed: ${key} cannot be read`) as unknown,
  });
  expect((await objects.list("events")).map((object) => object.key)).toEqual([key]);
  await target.close();
});
