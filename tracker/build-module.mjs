/** `npm run build:tracker`: writes the module and its types to `dist/tracker`, as a package without dependencies. */
import { execFile } from "node:child_process";
import { readFile, rm, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { buildTrackerModule } from "./build.mjs";

const root = fileURLToPath(new URL("../", import.meta.url));
const folder = `${root}dist/tracker`;

// The name under which the program's package exports the module, so that applications import it in the same way from both.
const { name, version, license } = JSON.parse(await readFile(`${root}package.json`, "utf8"));
const entry = { types: "./module.d.ts", default: "./module.js" };
const manifest = { name, version, license, type: "module", sideEffects: false, exports: { "./tracker": entry } };

await rm(folder, { recursive: true, force: true });
await buildTrackerModule(`${folder}/module.js`);
const declarations = ["--noEmit", "false", "--declaration", "--emitDeclarationOnly", "--rewriteRelativeImportExtensions"];
await promisify(execFile)(`${root}node_modules/.bin/tsc`, ["-p", "tracker", ...declarations, "--outDir", folder], { cwd: root });
await writeFile(`${folder}/package.json`, `${JSON.stringify(manifest, null, 2)}\n`);
