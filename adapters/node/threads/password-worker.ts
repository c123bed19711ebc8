/** Entry point of the password thread: hashes and verifies passwords. */
import { randomBytes } from "node:crypto";
import { createArgon2id } from "../../../src/runtime/access/password-hasher.ts";
import { servePort } from "./port-thread.ts";

servePort(createArgon2id(randomBytes), "query");
