/** `npm run build`: the program into `dist/`. */
import { buildProgram } from "./build.mjs";

await buildProgram("dist");
