/** `npm run build`: bundles the program into `dist/`. */
import { buildProgram } from "./build.mjs";

await buildProgram("dist");
