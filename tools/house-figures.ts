/** `npm run figures [-- --files]`: files, lines and small files of the production code, and the packages of src/runtime. */
import { sourcesBelow } from "../test/support/source-files.ts";
import { cyclesIn, importsAmong, packageOf, packageTies } from "../test/support/source-imports.ts";

const FOLDERS = ["src", "adapters", "dashboard", "tracker", "tools"];

/** TypeScript and scripts, without declaration files. */
const CODE = /(?<!\.d)\.(?:tsx?|mjs)$/;

/** `npm run types:api` makes it. */
const GENERATED = "dashboard/api/types.ts";

const SMALL_LINES = 30;

const showsFiles = process.argv.includes("--files");
const print = (line: string) => process.stdout.write(`${line}\n`);
const list = (lines: readonly string[]) => {
  if (showsFiles) for (const line of lines) print(`  ${line}`);
};

const code = FOLDERS.flatMap((folder) => sourcesBelow(folder, CODE))
  .filter(({ path }) => path !== GENERATED)
  .map((file) => ({ ...file, lines: file.text.split("\n").length - 1 }))
  .sort((a, b) => (a.path < b.path ? -1 : 1));
const linesOf = (files: typeof code) => files.reduce((sum, { lines }) => sum + lines, 0);

print(`${code.length} files with ${linesOf(code)} lines`);
for (const folder of FOLDERS) {
  const files = code.filter(({ path }) => path.startsWith(`${folder}/`));
  print(`  ${folder}: ${files.length} files with ${linesOf(files)} lines`);
}

const small = code.filter(({ lines }) => lines < SMALL_LINES);
print(`${small.length} files under ${SMALL_LINES} lines`);
list(small.map(({ path, lines }) => `${path}: ${lines}`));

const ofRuntime = code.filter(({ path }) => path.startsWith("src/runtime/"));
const ties = packageTies(importsAmong(ofRuntime));
const cycles = cyclesIn(ties);
print(
  `${new Set(ofRuntime.map(({ path }) => packageOf(path))).size} packages in src/runtime, ${ties.length} ties, ${cycles.length} circles`,
);
list(ties.map(({ from, to }) => `${from} → ${to}`).sort());
list(cycles);
