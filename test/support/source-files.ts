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

/** The TypeScript files below a folder; declaration files, packages, and what builds leave in hidden folders, are not source. */
export function sourcesBelow(folder: string): SourceFile[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => /(?<!\.d)\.tsx?$/.test(name) && !name.startsWith(".") && !name.includes("node_modules/"))
    .map((name) => ({ path: `${folder}/${name}`, text: readFileSync(join(ROOT, folder, name), "utf8") }));
}

/** All source files that are built and shipped. */
export const productSources = (): SourceFile[] => ["src", "adapters", "tracker", "dashboard"].flatMap(sourcesBelow);
