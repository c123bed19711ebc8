/** The generated secret: made once, kept beside the data, readable by the owner only. */
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { reasonOf } from "../../src/runtime/log.ts";
import { Secret } from "../../src/runtime/secret.ts";
import { writeDurably } from "./durable-file.ts";
import { codeOf, nodeFileSystem, type FileSystem } from "./file-system.ts";

const SECRET_FILE = "secret";
const SECRET_BYTES = 32;

/** The secret in the file; null when there is none. A file that holds no secret is an error: a new one would split every visitor in two. */
export async function readSecret(folder: string, files: FileSystem = nodeFileSystem): Promise<Secret | null> {
  const path = join(folder, SECRET_FILE);
  let text: string;
  try {
    text = Buffer.from(await files.readFile(path)).toString("utf8").trim();
  } catch (error) {
    if (codeOf(error) === "ENOENT") return null;
    throw new Error(`${path} cannot be read: ${reasonOf(error)}`, { cause: error });
  }
  if (!/^[0-9a-f]{64}$/.test(text)) {
    throw new Error(`${path} does not hold the 64 hexadecimal digits it was made with; restore it from a backup, or remove it to start with new visitor ids`);
  }
  return new Secret(text);
}

export const writeSecret = (folder: string, secret: Secret, files: FileSystem = nodeFileSystem): Promise<void> =>
  writeDurably(join(folder, SECRET_FILE), Buffer.from(`${secret.reveal()}\n`), files);

/** The secret in the file, or a new one. */
export async function secretOfFolder(folder: string, files: FileSystem = nodeFileSystem): Promise<Secret> {
  const kept = await readSecret(folder, files);
  if (kept) return kept;
  const made = new Secret(randomBytes(SECRET_BYTES).toString("hex"));
  await writeSecret(folder, made, files);
  return made;
}
