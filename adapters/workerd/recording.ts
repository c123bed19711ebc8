/**
 * Run by the build, in an empty realm of Node: uses everything that compiles WebAssembly at run time, so that the build sees
 * every module that it has to take along. Whoever brings another such part into the service uses it here.
 */
import { createArgon2id } from "../../src/runtime/auth/argon2id.ts";
import { createHmacSha256 } from "../../src/runtime/ingest/hmac-sha256.ts";
import type { SiteId } from "../../src/storage/event.ts";
import { createDuckdbEngine } from "./duckdb-instance.ts";

async function useEngine(mainModule: WebAssembly.Module): Promise<void> {
  const engine = await createDuckdbEngine({ mainModule, memoryLimitMb: 64 });
  const ask = (sql: string) =>
    engine.query({ siteId: "recording.test" as SiteId, blocks: [], sql, parameters: [] }, new AbortController().signal);
  await ask("SELECT count(*) AS events, sum(revenue_amount)::VARCHAR AS revenue FROM events");
  const failed = await ask("SELECT nothing").then(
    () => false,
    () => true,
  );
  if (!failed) throw new Error("the engine answers what it should not");
  await engine.close();
}

export async function useEverything(mainModule: WebAssembly.Module): Promise<void> {
  await useEngine(mainModule);
  const hmac = await createHmacSha256();
  hmac.digest(hmac.keyFrom("key"), "message");
  const hasher = createArgon2id((length) => new Uint8Array(length));
  if (!(await hasher.verify("password", await hasher.hash("password")))) throw new Error("Argon2id does not know its own hash");
}
