/** The thread of passwords: hashes and checks those that come as messages. */
import { randomBytes } from "node:crypto";
import { parentPort } from "node:worker_threads";
import { createArgon2id } from "../../src/runtime/auth/argon2id.ts";
import { reasonOf } from "../../src/runtime/log.ts";
import type { PasswordReply, PasswordRequest } from "./password-messages.ts";

const port = parentPort;
if (!port) throw new Error("the password worker runs as a worker thread only");

const hasher = createArgon2id(randomBytes);

const serve = (request: PasswordRequest): Promise<string | boolean> =>
  request.kind === "hash" ? hasher.hash(...request.args) : hasher.verify(...request.args);

const reply = (message: PasswordReply) => port.postMessage(message);

port.on("message", (request: PasswordRequest) => {
  const { id } = request;
  serve(request).then(
    (result) => reply({ id, result }),
    (error: unknown) => reply({ id, error: reasonOf(error) }),
  );
});
