/** Names the owner of a file or folder that the system refuses: a start as root leaves files that only root can open. */
import { access, constants, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { reasonOf } from "../../../src/runtime/base/metrics/log.ts";

const REFUSALS: readonly unknown[] = ["EACCES", "EPERM"];

interface Owned {
  readonly path: string;
  readonly uid: number;
}

/** The path, or the folder above it that hides it. */
async function ownedAt(path: string): Promise<Owned> {
  const status = await stat(path).catch(() => null);
  if (status !== null || dirname(path) === path) return { path, uid: status?.uid ?? 0 };
  return ownedAt(dirname(path));
}

const isUsable = (path: string): Promise<boolean> =>
  access(path, constants.R_OK | constants.W_OK).then(
    () => true,
    () => false,
  );

const nameOf = (uid: number): string => (uid === 0 ? "root" : `user ${uid}`);

/** Adds the owner to the message of such an error, if it is another user than that of this process. */
export async function nameOwner(error: unknown, path: string): Promise<unknown> {
  const us = process.geteuid?.();
  if (us === undefined || !(error instanceof Error && "code" in error && REFUSALS.includes(error.code))) return error;
  const at = await ownedAt(path);
  // What we may read and write, but not rename or remove, is refused by its folder. Anything else of ours is refused by its mode.
  const { path: owned, uid } = at.path === path && at.uid === us && (await isUsable(path)) ? await ownedAt(dirname(path)) : at;
  if (uid !== us) error.message = `${reasonOf(error)}. ${owned} belongs to ${nameOf(uid)}, but this process runs as ${nameOf(us)}`;
  return error;
}

/** Runs the call. If the system refuses access, the error names the owner. */
export const namingOwner =
  <Arguments extends readonly [path: string, ...unknown[]], Result>(call: (...values: Arguments) => Promise<Result>) =>
  (...values: Arguments): Promise<Result> =>
    call(...values).catch(async (error: unknown) => {
      throw await nameOwner(error, values[0]);
    });
