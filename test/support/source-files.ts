/** The project's source files as text, for tests of code rules. */
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

export interface SourceFile {
  /** From the root of the repository, e.g. `src/handlers/app.ts`. */
  readonly path: string;
  readonly text: string;
}

/** TypeScript, without declaration files. */
const TYPESCRIPT = /(?<!\.d)\.tsx?$/;

/** The files below a folder, without packages and what builds leave in hidden folders. By default only TypeScript. */
export function sourcesBelow(folder: string, named: RegExp = TYPESCRIPT): SourceFile[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => named.test(name) && !name.startsWith(".") && !name.includes("node_modules/"))
    .map((name) => ({ path: `${folder}/${name}`, text: readFileSync(join(ROOT, folder, name), "utf8") }));
}

/** All source files that are built and shipped. */
export const productSources = (): SourceFile[] => ["src", "adapters", "tracker", "dashboard"].flatMap((folder) => sourcesBelow(folder));
