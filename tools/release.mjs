/**
 * `npm run release`: checks that the tree is ready for a release, builds it and packs it into `release/`. Publishes and pushes nothing,
 * and needs no network. `-- --check` only checks.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../", import.meta.url));
const FOLDER = "release";
const NOTICE = "dist/THIRD-PARTY-LICENSES.txt";

const VERSION = /^\d+\.\d+\.\d+(?:-[\w.]+)?$/;

/** The heading of a release in CHANGELOG.md, such as `1.2.3 - 2026-11-22`. */
const RELEASE_HEADING = /^(\S+) - (\d{4}-\d\d-\d\d)$/;

const read = (/** @type {string} */ name) => readFileSync(join(ROOT, name), "utf8");

const { name, version, repository, private: isPrivate = false } = JSON.parse(read("package.json"));
const tag = `v${version}`;

/** Runs a program without a shell, so that it is the same on Windows. @param {string} program @param {readonly string[]} args */
function run(program, args) {
  const { status, stdout, stderr, error } = spawnSync(program, args, { cwd: ROOT, encoding: "utf8" });
  return { isDone: !error && status === 0, output: stdout ?? "", message: error ? error.message : `${stdout}${stderr}`.trim() };
}

const git = (/** @type {string[]} */ ...args) => run("git", args);

/** npm itself is a shell script on Windows. Its own runs of scripts say where its program is. */
function npm(/** @type {string[]} */ ...args) {
  const program = process.env["npm_execpath"];
  if (!program) return { isDone: false, output: "", message: "npm is not known: start this with `npm run release`" };
  return run(process.execPath, [program, ...args]);
}

/** Each check returns what is wrong, or null. */
const CHECKS = {
  "the working tree is clean": () => {
    const { isDone, output, message } = git("status", "--porcelain");
    if (!isDone) return message;
    return output === "" ? null : `commit or remove:\n${output.trimEnd()}`;
  },

  [`${tag} is a new tag, or that of this commit`]: () => {
    if (!VERSION.test(version)) return `"version" in package.json must be like 1.2.3, got "${version}"`;
    const tagged = git("rev-parse", "--verify", "--quiet", `refs/tags/${tag}^{commit}`);
    if (tagged.isDone && tagged.output !== git("rev-parse", "HEAD").output)
      return `${tag} is another commit: raise "version" in package.json`;
    const others = git("tag", "--points-at", "HEAD", "v*")
      .output.split(/\s+/)
      .filter((other) => other && other !== tag);
    return others.length === 0 ? null : `this commit is tagged ${others.join(", ")}, but "version" in package.json is ${version}`;
  },

  "CHANGELOG.md has a dated section for it": () => {
    const sections = read("CHANGELOG.md").split(/^## /m).slice(1);
    const textOf = (/** @type {string} */ section) => section.slice(section.indexOf("\n")).trim();
    const unreleased = sections.find((section) => /^Unreleased\s/.test(section));
    if (unreleased && textOf(unreleased) !== "") return `move the lines below "Unreleased" to "## ${version} - <date>"`;
    const newest = sections.find((section) => section !== unreleased) ?? "";
    const [, named, date = ""] = RELEASE_HEADING.exec(newest.split(/\r?\n/)[0] ?? "") ?? [];
    if (named !== version || Number.isNaN(Date.parse(date)))
      return `its newest section must begin with "## ${version} - <date>", such as 2026-11-22`;
    return textOf(newest) === "" ? `its section for ${version} is empty` : null;
  },

  "package-lock.json fits package.json": () => {
    const { version: locked, packages } = JSON.parse(read("package-lock.json"));
    if (locked !== version || packages[""].version !== version) return `it has version ${locked}: run npm install --package-lock-only`;
    const { isDone, message } = npm("ci", "--dry-run", "--offline", "--ignore-scripts", "--no-audit", "--no-fund");
    return isDone ? null : message;
  },

  "package-lock.json names no registry": () => {
    const [host] = /"resolved": "[^"]*"/.exec(read("package-lock.json")) ?? [];
    return host ? `it has ${host}: make it again with the project's .npmrc` : null;
  },

  // Without it, the relative links of the README lead nowhere on the page that npm makes of it.
  "package.json names the repository": () =>
    typeof (repository?.url ?? repository) === "string" ? null : `set "repository" to the public address of the repository`,
};

/** Prints each check with its outcome. Returns whether all pass. */
function check() {
  const outcomes = Object.entries(CHECKS).map(([claim, problemOf]) => {
    const problem = problemOf();
    print(problem === null ? `ok      ${claim}` : `FAILED  ${claim}: ${problem}`);
    return problem === null;
  });
  return outcomes.every(Boolean);
}

const print = (/** @type {string} */ line) => void process.stdout.write(`${line}\n`);

/** @param {string} line @returns {never} */
function fail(line) {
  print(`FAILED  ${line}`);
  process.exit(1);
}

/** Packs; npm builds first (the script "prepack"). Returns the path of the archive. */
function pack() {
  mkdirSync(join(ROOT, FOLDER), { recursive: true });
  const packed = npm("pack", "--json", "--pack-destination", FOLDER);
  // Also if a package has a license that nobody has allowed.
  if (!packed.isDone) fail(`npm pack: ${packed.message}`);
  if (!existsSync(join(ROOT, NOTICE))) fail(`the build has written no ${NOTICE}`);
  const [{ filename, files }] = JSON.parse(packed.output.slice(packed.output.indexOf("[\n")));
  const paths = files.map((/** @type {{ path: string }} */ { path }) => path);
  const missing = ["LICENSE", NOTICE, "dist/main.js"].filter((path) => !paths.includes(path));
  if (!isPrivate && missing.length > 0) fail(`the package lacks ${missing.join(", ")}: see "files" in package.json`);
  return join(FOLDER, filename);
}

if (!check()) fail("nothing was built");
if (!process.argv.includes("--check")) {
  const archive = pack();
  const sha256 = createHash("sha256")
    .update(readFileSync(join(ROOT, archive)))
    .digest("hex");
  print(`\n${name} ${version}: ${archive}\nSHA-256 ${sha256}\n`);
  if (isPrivate) print(`package.json says "private": npm publishes it only without that.\n`);
  print(`Next, once the tests of this commit have passed:
  git tag --annotate ${tag} --message ${tag}
  git push origin ${tag}
  npm publish ${archive}`);
}
