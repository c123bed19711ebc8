/**
 * Random histories of a data folder under repeated power losses, each from a seed: the real code uses the Node file ports on a
 * simulated disk, and each start checks what it finds. To test another kind of change, add an entry to `STEPS` and its
 * guarantee to `wrongWithPromises`.
 */
import { backUpFolder } from "../../adapters/node/backups/make-backup.ts";
import { verifyFolder } from "../../adapters/node/data-dir/folder-verification.ts";
import { createFolder } from "../../adapters/node/files/durable-files.ts";
import { createFileObjectStore, createFileRecordStore, createFileSecretStore } from "../../adapters/node/files/file-stores.ts";
import { JOURNAL_FOLDER, openFileSegmentLog } from "../../adapters/node/files/file-segment-log.ts";
import type { FileSystem } from "../../adapters/node/files/file-system.ts";
import { FolderLockedError, type FolderLock } from "../../adapters/node/data-dir/folder-lock.ts";
import { tidyFolder } from "../../adapters/node/data-dir/data-dir.ts";
import { utcDateOf } from "../../src/storage/event.ts";
import { UTC_SECRET, type SecretName, type SecretStore } from "../../src/storage/secret-store.ts";
import { PASSWORD } from "../support/auth-requests.ts";
import { START_MS, type InProcessTarget } from "../support/in-process-target.ts";
import type { Stores } from "../support/mortal-stores.ts";
import { numbersFrom } from "../support/seeded-numbers.mjs";
import { SimulatedDisk, type IgnoredSyncs, type SimulatedMachine, type Strike } from "../support/simulated-disk.ts";
import { siteId } from "../support/stored-event.ts";
import { inProcess, Ledger, wrongIn, type Sent } from "./ledger.ts";
import { readStores } from "./stored-events.ts";

const DAY_MS = 86_400_000;
/** How often a process syncs its journal where the policy is `interval`, and how old an event may be that a loss takes then. */
const SYNC_MS = 500;
const UNSYNCED_MS_MAX = 1000;

const DATA_FOLDER = "/disk/data";
const BACKUPS_FOLDER = "/disk/backups";
const RETENTION_DAYS = 2;
const LIVES_MAX = 4;
const STEPS_MAX = 12;
/** More than most lives make. */
const CALLS_MAX = 700;

/** The second id is hard on file names. */
const SITES = [siteId("a.test"), siteId("B:Other.")] as const;

export interface PowerLossOptions {
  readonly seed: number;
  /** Default: drawn from the seed. */
  readonly fsync?: "always" | "interval";
  /** Whether some syncs fail. */
  readonly failingSyncs?: boolean;
  readonly ignores?: IgnoredSyncs;
  readonly otherZone?: string | null;
}

interface Key {
  readonly key: string;
  readonly hash: string;
  revoked: "no" | "perhaps" | "yes";
}

interface Backup {
  readonly folder: string;
  /** What it must hold unless it was erased meanwhile. */
  readonly events: readonly Sent[];
}

/** What the service has promised, over all lives. */
interface Promises {
  readonly sent: Sent[];
  readonly keys: Key[];
  readonly backups: Backup[];
  hasPassword: boolean;
  readonly secrets: Map<SecretName, PromisedSecret>;
}

interface PromisedSecret {
  /** As it is stored; null when there is none, undefined while it changes. */
  text: string | null | undefined;
  readonly erased: Set<string>;
}

interface Life {
  readonly target: InProcessTarget;
  readonly ledger: Ledger;
  readonly promised: Promises;
  readonly random: () => number;
  readonly machine: SimulatedMachine;
  /** The lock of the folder with the backups, which is not simulated. */
  readonly lockBackups: () => Promise<FolderLock>;
  /** Whether the last process was killed, and the machine went on. */
  readonly isAfterKill: boolean;
  /** A time zone that now and then gets a secret, and loses it, because no site is in it. */
  readonly otherZone: string | null;
}

type Step = (life: Life) => Promise<unknown>;

const below = (random: () => number, limit: number): number => Math.floor(random() * limit);

const signal = new AbortController().signal;

async function tick({ target, machine }: Life): Promise<void> {
  // The clock of a machine that is off shows when that happened.
  if (machine.isOff()) return;
  await target.advance(SYNC_MS);
  await target.services.eventStore.sync();
}

const drawSite = (random: () => number): (typeof SITES)[number] => SITES[below(random, 2)] ?? SITES[0];

const flush: Step = ({ target }) => target.services.flush.run();

const merge: Step = ({ target }) => target.services.compaction.run();

const erase: Step = ({ target, ledger, random }) => {
  const lastDay = utcDateOf(target.nowMs() - below(random, 2) * DAY_MS);
  return ledger.erase(drawSite(random), utcDateOf(target.nowMs() - 2 * DAY_MS), lastDay);
};

/** What may happen, and how often beside the others. Whatever fails, it goes on: a machine that is off fails everything. */
const STEPS: readonly { readonly weight: number; readonly run: Step }[] = [
  { weight: 8, run: ({ ledger, random }) => ledger.send(drawSite(random), 1 + below(random, 3)) },
  { weight: 4, run: flush },
  { weight: 3, run: merge },
  { weight: 2, run: erase },
  { weight: 1, run: ({ ledger }) => ledger.retain(RETENTION_DAYS) },
  {
    weight: 1,
    async run({ target, promised }) {
      await target.services.adminPassword.setUp(PASSWORD, signal);
      promised.hasPassword = true;
    },
  },
  {
    weight: 1,
    async run({ target, promised }) {
      const { key, keyHash: hash } = await target.services.apiKeys.create(
        "a key",
        { scope: "ReadOnly", sites: null },
        target.nowMs(),
        signal,
      );
      promised.keys.push({ key, hash, revoked: "no" });
    },
  },
  {
    weight: 1,
    async run({ target, promised }) {
      const key = promised.keys.find(({ revoked }) => revoked === "no");
      if (!key) return;
      key.revoked = "perhaps";
      await target.services.apiKeys.revoke(key.hash, signal);
      key.revoked = "yes";
    },
  },
  {
    weight: 1,
    async run({ target, machine, promised, lockBackups: lock }) {
      const events = promised.sent.filter(({ acknowledged, erased }) => acknowledged && erased === "no");
      const options = { version: "1.0.0", files: machine.files, now: target.nowMs, lock };
      const { succeeded, text, folder } = await backUpFolder(DATA_FOLDER, BACKUPS_FOLDER, options);
      if (machine.isOff()) return;
      // With `interval`, a loss may have left holes in the last second of the journal, which a backup tells of.
      if (!succeeded && !/journal segment \d+: /.test(text)) throw new BrokenPromise(`a backup is not whole: ${text}`);
      if (succeeded) promised.backups.push({ folder, events });
    },
  },
];

/** What relies on what a killed process has left, whose syncs nobody has seen succeed. */
const STEPS_AFTER_KILL: readonly Step[] = [merge, erase, erase];

/** They move the clock, so nothing else goes on beside them. */
const CLOCK_STEPS: readonly ((life: Life) => Promise<void>)[] = [
  tick,
  async (life) => {
    await tick(life);
    await tick(life);
    // A run that began yesterday would be taken for today's.
    await life.target.services.retention.settled();
    if (life.machine.isOff()) return;
    await life.target.advance(DAY_MS);
    await life.ledger.retain(RETENTION_DAYS);
  },
];

/** A lock that one at a time can hold. */
function newLock(): () => Promise<FolderLock> {
  let isHeld = false;
  return async () => {
    if (isHeld) throw new FolderLockedError("it is held");
    isHeld = true;
    return {
      async release() {
        isHeld = false;
      },
    };
  };
}

class BrokenPromise extends Error {
  override readonly name = "BrokenPromise";
}

function drawStep(random: () => number): Step {
  let at = below(
    random,
    STEPS.reduce((sum, { weight }) => sum + weight, 0),
  );
  return STEPS.find(({ weight }) => (at -= weight) < 0)?.run ?? flush;
}

async function renewOther({ target: { services }, otherZone }: Life): Promise<void> {
  if (otherZone !== null) await services.visitorSalts.renew(otherZone);
}

async function live(life: Life): Promise<void> {
  const { random, target, machine, isAfterKill } = life;
  const onward = (error: unknown): void => {
    if (error instanceof BrokenPromise) throw error;
  };
  if (isAfterKill && random() < 0.7) {
    await STEPS_AFTER_KILL[below(random, STEPS_AFTER_KILL.length)]?.(life).catch(onward);
    if (random() < 0.7) return;
  }
  for (let steps = 1 + below(random, STEPS_MAX); steps > 0 && !machine.isOff(); steps--) {
    if (random() < 0.25) await CLOCK_STEPS[random() < 0.75 ? 0 : 1]?.(life).then(() => renewOther(life).catch(onward));
    else await Promise.all(Array.from({ length: random() < 0.3 ? 3 : 1 }, () => drawStep(random)(life).catch(onward)));
  }
  if (random() < 0.2) await target.services.eventStore.close().catch(onward);
}

/** `off` is for who only looks. */
const storesOn = async (files: FileSystem, fsync: "always" | "interval" | "off"): Promise<Stores> => ({
  objects: createFileObjectStore(DATA_FOLDER, { isOurs: fsync !== "off", files }),
  records: createFileRecordStore(DATA_FOLDER, files),
  segmentLog: await openFileSegmentLog(`${DATA_FOLDER}/${JOURNAL_FOLDER}`, fsync, files),
});

function promisedSecret({ secrets }: Promises, name: SecretName): PromisedSecret {
  const promised = secrets.get(name) ?? { text: undefined, erased: new Set() };
  secrets.set(name, promised);
  return promised;
}

/** The store of the secrets; what it has said to be done is a promise. */
function secretsOn(files: FileSystem, promises: Promises): SecretStore {
  const store = createFileSecretStore(DATA_FOLDER, files);
  return {
    ...store,
    secret(name) {
      const stored = store.secret(name);
      const promised = promisedSecret(promises, name);
      return {
        ...stored,
        async write(text) {
          promised.text = undefined;
          await stored.write(text);
          promised.text = text;
        },
        async erase() {
          const { text } = promised;
          promised.text = undefined;
          await stored.erase();
          promised.text = null;
          if (typeof text === "string") promised.erased.add(text);
        },
      };
    },
  };
}

/** The start of the program, as far as it touches the disk. */
async function start(
  files: FileSystem,
  fsync: "always" | "interval",
  promised: Promises,
): Promise<Stores & { readonly secrets: SecretStore }> {
  await createFolder(DATA_FOLDER, files);
  await tidyFolder(DATA_FOLDER, files);
  return { ...(await storesOn(files, fsync)), secrets: secretsOn(files, promised) };
}

/**
 * What is stored of the secrets. From now on that is how it must stay until it is changed, except for a change that a kill interrupted: a
 * later power loss may still take it back.
 */
async function wrongWithSecrets(files: FileSystem, promises: Promises, isAfterKill: boolean): Promise<string[]> {
  const store = createFileSecretStore(DATA_FOLDER, files);
  const wrong: string[] = [];
  for (const name of new Set([UTC_SECRET, ...promises.secrets.keys(), ...(await store.names())])) {
    const promised = promisedSecret(promises, name);
    const found = await store.secret(name).read();
    if (promised.text !== undefined && found !== promised.text)
      wrong.push(promised.text === null ? `an erased secret is back: ${name}` : `the secret is gone: ${name}`);
    if (found !== null && promised.erased.has(found)) wrong.push(`the secret of a closed period is back: ${name}`);
    if (promised.text !== undefined || !isAfterKill) promised.text = found;
  }
  return wrong;
}

/** An event that was acknowledged just before the loss may be gone, and is then for good. */
function forgetUnsynced(promised: Promises, pages: ReadonlyMap<string, number>, lostAtMs: number): void {
  for (const entry of promised.sent) {
    if (entry.acknowledged && lostAtMs - entry.acknowledgedAtMs < UNSYNCED_MS_MAX && !pages.has(`${entry.site}${entry.pathname}`))
      entry.acknowledged = false;
  }
}

/** What a running process says of password and keys. From now on that is how it must stay. */
async function wrongWithCredentials({ services }: InProcessTarget, promised: Promises): Promise<string[]> {
  const wrong: string[] = [];
  const { adminPassword, apiKeys } = services;
  if (promised.hasPassword && !(adminPassword.isConfigured && (await adminPassword.matches(PASSWORD)))) wrong.push("the password is gone");
  promised.hasPassword = adminPassword.isConfigured;
  for (const key of promised.keys) {
    const isValid = apiKeys.rightsOf(key.key) !== null;
    if (key.revoked === "no" && !isValid) wrong.push("a key is gone");
    if (key.revoked === "yes" && isValid) wrong.push("a revoked key works again");
    key.revoked = isValid ? "no" : "yes";
  }
  return wrong;
}

async function wrongWithBackup({ folder, events }: Backup, files: FileSystem): Promise<string[]> {
  const { succeeded, text } = await verifyFolder(folder, { files }).catch((error: unknown) => ({ succeeded: false, text: String(error) }));
  if (!succeeded) return [`the backup ${folder} is not whole: ${text}`];
  const segmentLog = await openFileSegmentLog(`${folder}/${JOURNAL_FOLDER}`, "off", files);
  const { pages } = await readStores({ objects: createFileObjectStore(folder, { files }), segmentLog });
  return wrongIn(
    pages,
    events.filter(({ erased }) => erased === "no"),
  ).map((what) => `in ${folder}, ${what}`);
}

export interface PowerLossReport {
  /** Broken promises; empty when all is well. */
  readonly wrong: readonly string[];
  readonly losses: number;
  readonly acknowledged: number;
  readonly erased: number;
  readonly backups: number;
  readonly failedSyncs: number;
}

function drawStrike(random: () => number): Strike {
  return {
    atCall: 1 + below(random, random() < 0.3 ? 90 : CALLS_MAX),
    when: (["before", "during", "after"] as const)[below(random, 3)] ?? "before",
    kind: random() < 0.3 ? "kill" : "power loss",
  };
}

/** Plays one history to its end, or to the first promise that is broken. */
export async function playPowerLosses({
  seed,
  fsync: wanted,
  failingSyncs = false,
  ignores = "none",
  otherZone = null,
}: PowerLossOptions): Promise<PowerLossReport> {
  const random = numbersFrom(seed);
  const disk = new SimulatedDisk(random, ignores);
  const fsync = wanted ?? (random() < 0.5 ? "always" : "interval");
  const environment = { SVC_COMPACT_AFTER_FILES: "2", SVC_RETENTION_DAYS: String(RETENTION_DAYS), SVC_JOURNAL_FSYNC: fsync };
  const promised: Promises = {
    sent: [],
    keys: [],
    backups: [],
    hasPassword: false,
    secrets: new Map(),
  };
  let isAfterKill = false;
  let [nowMs, losses, failedSyncs, backups] = [START_MS, 0, 0, 0];
  /** When a process last ran: until the next one has begun, nobody syncs what a killed one wrote. */
  let lostAtMs = START_MS;
  const report = (wrong: readonly string[]): PowerLossReport => ({
    wrong,
    losses,
    acknowledged: promised.sent.filter(({ acknowledged }) => acknowledged).length,
    erased: promised.sent.filter(({ erased }) => erased === "yes").length,
    backups,
    failedSyncs,
  });

  const lives = 1 + below(random, LIVES_MAX);
  for (let life = 1; life <= lives; life++) {
    const isLast = life === lives;
    const strike = isLast ? null : drawStrike(random);
    const everyNth = 3 + below(random, 30);
    const failsSync = failingSyncs && !isLast ? () => below(random, everyNth) === 0 : () => false;
    const machine = disk.boot({ strike, failsSync });
    const wrong: string[] = [];
    nowMs += below(random, 4) * UNSYNCED_MS_MAX;
    const play = async (target: InProcessTarget): Promise<void> => {
      try {
        wrong.push(...(await wrongWithCredentials(target, promised)));
        await live({
          target,
          ledger: new Ledger(target, promised.sent),
          promised,
          random,
          machine,
          lockBackups: newLock(),
          isAfterKill,
          otherZone,
        });
        if (!isLast) return;
        await target.services.flush.settled();
        await target.services.retention.settled();
        await target.services.compaction.run();
        if (!(await target.services.flush.run())) wrong.push("the last flush failed");
        const { faults } = await verifyFolder(DATA_FOLDER, { files: machine.files }).then(({ succeeded, text }) => ({
          faults: succeeded ? [] : [text],
        }));
        wrong.push(...faults);
      } finally {
        nowMs = target.nowMs();
        lostAtMs = nowMs;
      }
    };
    try {
      await inProcess({ ...(await start(machine.files, fsync, promised)), startMs: nowMs }, play, environment);
    } catch (error) {
      if (error instanceof BrokenPromise) wrong.push(error.message);
      // A machine without power starts nothing; nor does a disk on which syncs fail have to.
      else if (!machine.isOff() && machine.failedSyncs() === 0) wrong.push(`life ${life} ended by itself: ${String(error)}`);
    }
    failedSyncs += machine.failedSyncs();
    isAfterKill = strike?.kind === "kill" && machine.isOff();
    if (!isAfterKill) {
      losses++;
      machine.losePower();
    }
    const reader = disk.boot().files;
    const stores = await storesOn(reader, "off");
    try {
      const { pages } = await readStores(stores);
      if (!isAfterKill && fsync === "interval") forgetUnsynced(promised, pages, lostAtMs);
      wrong.push(...wrongIn(pages, promised.sent), ...(await wrongWithSecrets(reader, promised, isAfterKill)));
    } catch (error) {
      wrong.push(`what is stored cannot be read: ${String(error)}`);
    }
    for (const backup of promised.backups.splice(0)) {
      backups++;
      wrong.push(...(await wrongWithBackup(backup, reader)));
    }
    if (wrong.length > 0) return report(wrong.map((what) => `life ${life} of ${lives} (${fsync}): ${what}`));
  }
  return report([]);
}
