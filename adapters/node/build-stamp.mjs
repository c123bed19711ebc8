/** Tells whether a build is of the current sources: by their content, because copies and checkouts change times. */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** The inputs of a build: folders, and files. The lock file stands for the packages. */
const FOLDERS = ["adapters", "dashboard", "src", "tracker"];
const FILES = ["package.json", "package-lock.json"];

/** Generated beside the sources, for the type check only. */
const GENERATED = "dashboard/api/types.ts";

/** The file of a build with the hash of its sources, and the names of its files. */
const STAMP = "sources.sha256";

/** @param {string} folder @returns {string[]} paths relative to the repository, with slashes on every system */
const filesBelow = (folder) =>
  readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    // A link may lead nowhere: editors mark files that are being changed with one.
    return entry.isDirectory() ? filesBelow(path) : entry.isFile() ? [path] : [];
  });

/** A hash of the names and contents of all sources. @param {readonly string[]} furtherFolders of other entry points */
export function hashOfSources(furtherFolders = []) {
  const hash = createHash("sha256");
  for (const path of [...[...FOLDERS, ...furtherFolders].flatMap(filesBelow), ...FILES].sort()) {
    if (path !== GENERATED)
      hash.update(
        `${path}\0${createHash("sha256")
          .update(readFileSync(join(root, path)))
          .digest("hex")}\n`,
      );
  }
  return hash.digest("hex");
}

/**
 * True if the folder contains a complete build of the current sources. @param {string} folder @param {readonly string[]} [furtherFolders]
 */
export function isCurrent(folder, furtherFolders) {
  try {
    const [sources, ...names] = readFileSync(join(folder, STAMP), "utf8").split("\n");
    return sources === hashOfSources(furtherFolders) && names.every((name) => existsSync(join(folder, name)));
  } catch {
    return false;
  }
}

/** @param {string} folder @param {string} sources @param {readonly string[]} names of the files of the build */
export const writeStamp = (folder, sources, names) => writeFile(join(folder, STAMP), [sources, ...names].join("\n"));

/** @param {string} folder */
export const removeStamp = (folder) => rm(join(folder, STAMP), { force: true });
