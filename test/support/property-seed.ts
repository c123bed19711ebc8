/** Runs before each test file: sets a fixed seed, so that property tests use the same cases in every run. */
import fc from "fast-check";
import { PROPERTY_SEED } from "../property/settings.ts";

fc.configureGlobal({ seed: PROPERTY_SEED });
