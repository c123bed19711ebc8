/** Runs before each test file: properties are tried on the same cases in every run, whichever file they are in. */
import fc from "fast-check";
import { PROPERTY_SEED } from "../property/settings.ts";

fc.configureGlobal({ seed: PROPERTY_SEED });
