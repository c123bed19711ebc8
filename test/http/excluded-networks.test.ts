/** Events from networks that a site excludes, by a database of AS numbers that the test writes (docs/sites.md, "Exclude networks"). */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bodyOf, CLOSED, logIn } from "../support/auth-requests.ts";
import { createInProcessTarget, type InProcessTarget } from "../support/in-process-target.ts";
import { getMetrics } from "../support/metrics.ts";
import { mmdbOf } from "../support/mmdb-writer.ts";
import { expectAccepted, post, wireEvent, type MainFigures, type RequestHeaders } from "../support/requests.ts";

const SITE = "networks.test";
const RECORDS = {
  "8.8.0.0/16": { autonomous_system_number: 64_496, autonomous_system_organization: "Example Hosting" },
  "2a00:0:0:0:0:0:0:0/16": { autonomous_system_number: 64_496 },
  "9.0.0.0/8": { autonomous_system_number: 64_497 },
  "5.9.0.0/16": { autonomous_system_number: 24_940 },
};

interface Settings {
  readonly asn_db_loaded: boolean;
  readonly excluded_networks: readonly string[];
}

describe("excluded networks", () => {
  let folder: string;
  let target: InProcessTarget;
  let headers: RequestHeaders;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "excluded-networks-"));
    const path = join(folder, "asn.mmdb");
    await writeFile(path, mmdbOf(RECORDS));
    target = await createInProcessTarget({ ...CLOSED, SVC_TRUST_PROXY: "1", SVC_ASN_DB: path });
    headers = await logIn(target);
  });
  afterAll(async () => {
    await target.close();
    await rm(folder, { recursive: true });
  });

  const set = async (on: InProcessTarget, as: RequestHeaders): Promise<Settings> =>
    bodyOf(await on.fetch(`/api/sites/${SITE}`, { method: "PUT", headers: as, body: JSON.stringify({ excluded_networks: ["as64496"] }) }));
  const eventsAfter = async (on: InProcessTarget, as: RequestHeaders, addresses: readonly string[]): Promise<number> => {
    for (const address of addresses) await expectAccepted(await post(on, wireEvent(SITE), { "x-forwarded-for": address }));
    return (await bodyOf<MainFigures>(await on.fetch(`/api/stats/main?site_id=${SITE}`, { headers: as }))).total_events;
  };

  it("events from their addresses are answered as accepted and not stored; those of other and unknown networks are", async () => {
    expect(await set(target, headers)).toMatchObject({ excluded_networks: ["AS64496"], asn_db_loaded: true });
    expect(await eventsAfter(target, headers, ["8.8.1.1", "::ffff:8.8.1.2", "2a00::1"])).toBe(0);
    expect((await getMetrics(target))["svc_events_excluded_total"]).toBe(3);
    expect(await eventsAfter(target, headers, ["9.1.1.1", "8.9.1.1", "2b00::1", "10.0.0.1"])).toBe(4);
  });

  it("a network of a data centre is evidence, of which an event keeps nothing else", async () => {
    const site = "data-centre.test";
    for (const address of ["5.9.1.1", "9.1.1.1"]) {
      await expectAccepted(await post(target, wireEvent(site), { "x-forwarded-for": address, origin: `https://${site}` }));
    }
    const csv = await (await target.fetch(`/api/stats/export?site_id=${site}&kind=raw`, { headers })).text();
    expect(
      csv
        .trim()
        .split("\n")
        .slice(1)
        .map((row) => row.includes("data_centre")),
    ).toEqual([true, false]);
    expect(csv).not.toMatch(/24940|5\.9\./);
  });

  it("have no effect without a database, and the settings say so", async () => {
    const without = await createInProcessTarget({ ...CLOSED, SVC_TRUST_PROXY: "1" });
    try {
      const session = await logIn(without);
      expect(await set(without, session)).toMatchObject({ excluded_networks: ["AS64496"], asn_db_loaded: false });
      expect(await eventsAfter(without, session, ["8.8.1.1"])).toBe(1);
    } finally {
      await without.close();
    }
  });
});
