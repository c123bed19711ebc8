/** The demo site on storage that fails (docs/http-api.md, "Demo site"). */
import { expect, it, onTestFinished } from "vitest";
import { createMemoryObjectStore } from "../support/memory-object-store.ts";
import { createInProcessTarget } from "../support/in-process-target.ts";
import { browserHeaders, expectAccepted, expectError, post, wireEvent } from "../support/requests.ts";

it("a demo site with only part of its files refuses the events of pages, and can be removed", async () => {
  const objects = createMemoryObjectStore();
  let isFailing = true;
  const failing: typeof objects = {
    ...objects,
    async put(key, bytes) {
      await objects.put(key, bytes);
      if (isFailing) throw new Error("the folder could not be synced");
    },
  };
  const target = await createInProcessTarget({ SVC_RETENTION_DAYS: "3" }, { objects: failing });
  onTestFinished(() => target.close());
  // Not stored, but the name is looked up.
  await expectAccepted(await post(target, wireEvent("demo.example"), browserHeaders({ "user-agent": "Googlebot/2.1" })));
  await expectError(await target.fetch("/api/demo", { method: "POST" }), 503, "made completely");
  await expectError(await post(target, wireEvent("demo.example")), 403, "demo site");
  isFailing = false;
  expect((await target.fetch("/api/demo", { method: "DELETE" })).status).toBe(200);
  await expectAccepted(await post(target, wireEvent("demo.example")));
});

it("an event with the name of the demo site is a 503 while storage cannot say whether there is one", async () => {
  const objects = createMemoryObjectStore();
  let isFailing = true;
  const list: typeof objects.list = (folder) => (isFailing ? Promise.reject(new Error("the bucket is away")) : objects.list(folder));
  const target = await createInProcessTarget({}, { objects: { ...objects, list } });
  onTestFinished(() => target.close());
  const refused = await post(target, wireEvent("demo.example"));
  expect(refused.headers.get("retry-after")).toMatch(/^\d+$/);
  await expectError(refused, 503, "storage");
  isFailing = false;
  await expectAccepted(await post(target, wireEvent("demo.example")));
});
