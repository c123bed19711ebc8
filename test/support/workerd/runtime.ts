/** workerd itself, run by Miniflare on a folder of the test's own: it can be killed and started again on the same storage. */
import { readFileSync } from "node:fs";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { Miniflare, type MiniflareOptions } from "miniflare";
import { parse } from "smol-toml";
import type { R2Bucket } from "../../../adapters/workerd/platform.ts";
import { WORKER_FOLDER } from "../built.ts";
import { makeTempFolder, removeFolder } from "../temp-folder.ts";

/** What a deployment is configured with, so that tests run with the same. */
interface WranglerFile {
  readonly compatibility_date: string;
  readonly durable_objects: { readonly bindings: readonly { readonly name: string; readonly class_name: string }[] };
  readonly r2_buckets: readonly { readonly binding: string }[];
  readonly version_metadata: { readonly binding: string };
}

const wranglerFile = parse(
  readFileSync(fileURLToPath(new URL("../../../wrangler.toml", import.meta.url)), "utf8"),
) as unknown as WranglerFile;

const BUCKET = wranglerFile.r2_buckets[0]?.binding ?? "";

export interface WorkerOptions {
  /** The module to run, of those that the build made for tests. */
  readonly script: "worker.js" | "test-worker.js" | "one-object-worker.js";
  /** The classes of Durable Objects by their binding, where they are not the product's. */
  readonly classNames?: Readonly<Record<string, string>>;
  readonly environment?: Readonly<Record<string, string>>;
}

export interface WorkerdRuntime {
  /** Where it listens now. */
  origin(): string;
  /** Everything that the Worker has logged. */
  log(): string;
  /** The keys of all objects in the bucket. */
  bucketKeys(): Promise<string[]>;
  /** The process of workerd ends without notice, and another one goes on with the same storage, or what `meanwhile` made of its folder. */
  crash(meanwhile?: (folder: string) => Promise<void>): Promise<void>;
  /** The same, and the other one runs another Worker: it was deployed meanwhile. */
  crashInto(script: WorkerOptions["script"]): Promise<void>;
  close(): Promise<void>;
}

function optionsFor(
  { script, classNames = {}, environment = {} }: WorkerOptions,
  folder: string,
  onOutput: (text: string) => void,
): MiniflareOptions {
  return {
    modules: true,
    modulesRoot: WORKER_FOLDER,
    rootPath: WORKER_FOLDER,
    scriptPath: script,
    modulesRules: [
      { type: "CompiledWasm", include: ["**/*.wasm"] },
      { type: "Data", include: ["**/*.bin"] },
      { type: "ESModule", include: ["**/*.js"] },
    ],
    compatibilityDate: wranglerFile.compatibility_date,
    // The platform evicts an object after ten idle seconds. On a busy machine a test may be idle for longer.
    // What such an end means is tried where a test ends it.
    durableObjects: Object.fromEntries(
      wranglerFile.durable_objects.bindings.map(({ name, class_name }) => [
        name,
        { className: classNames[name] ?? class_name, useSQLite: true, unsafePreventEviction: true },
      ]),
    ),
    r2Buckets: [BUCKET],
    versionMetadata: wranglerFile.version_metadata.binding,
    bindings: { ...environment },
    // Bypasses Miniflare's own Worker, which takes longer per request than the service.
    unsafeDirectSockets: [{ host: "127.0.0.1", port: 0 }],
    defaultPersistRoot: folder,
    handleRuntimeStdio(stdout: Readable, stderr: Readable) {
      for (const stream of [stdout, stderr]) stream.on("data", (chunk: Buffer) => onOutput(chunk.toString()));
    },
  };
}

/** A process's name; none when it has ended meanwhile. */
function nameOf(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/comm`, "utf8").trim();
  } catch {
    return undefined;
  }
}

/** Processes named workerd that this process has started. */
function workerdProcesses(): number[] {
  const children = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, "utf8").split(" ").filter(Boolean).map(Number);
  return children.filter((pid) => nameOf(pid) === "workerd");
}

/** One at a time in a process, because a crash ends every workerd of it. */
export async function startWorkerd(options: WorkerOptions): Promise<WorkerdRuntime> {
  const folder = await makeTempFolder();
  let log = "";
  let { script } = options;
  const start = () => new Miniflare(optionsFor({ ...options, script }, folder, (text) => (log += text)));
  let miniflare = start();
  let url = await miniflare.unsafeGetDirectURL();
  async function crash(meanwhile?: (folder: string) => Promise<void>): Promise<void> {
    for (const pid of workerdProcesses()) process.kill(pid, "SIGKILL");
    await miniflare.dispose();
    await meanwhile?.(folder);
    miniflare = start();
    url = await miniflare.unsafeGetDirectURL();
  }
  return {
    origin: () => url.origin,
    log: () => log,
    async bucketKeys() {
      const bucket = (await miniflare.getR2Bucket(BUCKET)) as unknown as R2Bucket;
      return (await bucket.list({ prefix: "" })).objects.map(({ key }) => key);
    },
    crash,
    crashInto(next) {
      script = next;
      return crash();
    },
    async close() {
      await miniflare.dispose();
      await removeFolder(folder);
    },
  };
}
