/** Argon2id in the calling thread against the contract of its port. */
import { randomBytes } from "node:crypto";
import { createArgon2id } from "../../src/runtime/access/password-hasher.ts";
import { describePasswordHasher } from "./password-hasher.suite.ts";

describePasswordHasher("in the calling thread", createArgon2id(randomBytes));
