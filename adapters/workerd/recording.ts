/**
 * Uses everything that compiles WebAssembly at run time. The build runs it to record every module that it has to bundle. Any new
 * part of the service that compiles WebAssembly must also be used here.
 */
import { createArgon2id } from "../../src/runtime/access/password-hasher.ts";
import { createHmacSha256 } from "../../src/runtime/ingest/visitor-salt.ts";
import type { SiteId } from "../../src/storage/event.ts";
import { createDuckdbEngine } from "./duckdb-instance.ts";

async function useEngine(mainModule: WebAssembly.Module): Promise<void> {
  const engine = await createDuckdbEngine({ mainModule, memoryLimitMb: 64 });
  const query = (sql: string) =>
    engine.query({ siteId: "recording.test" as SiteId, blocks: [], sql, parameters: [] }, new AbortController().signal);
  await query("SELECT count(*) AS events, sum(revenue_amount)::VARCHAR AS revenue FROM events");
  const failed = await query("SELECT nothing").then(
    () => false,
    () => true,
  );
  if (!failed) throw new Error("the engine accepts an invalid query");
  await engine.close();
}

export async function useEverything(mainModule: WebAssembly.Module): Promise<void> {
  await useEngine(mainModule);
  const hmac = await createHmacSha256();
  hmac.digest(hmac.keyFrom("key"), "message");
  const hasher = createArgon2id((length) => new Uint8Array(length));
  if (!(await hasher.verify("password", await hasher.hash("password")))) throw new Error("Argon2id does not verify its own hash");
}
