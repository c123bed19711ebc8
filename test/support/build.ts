/** Builds the program once before all tests: some run it as a process, others use its engine's thread. */
import { buildProgram } from "../../adapters/node/build.mjs";
import { BUILT_FOLDER } from "./built.ts";

export default async function setup(): Promise<void> {
  await buildProgram(BUILT_FOLDER);
}
