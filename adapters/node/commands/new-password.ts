/**
 * Reads a new password: twice from a terminal, without showing it, or once from standard input. Never from the arguments, which all
 * users of the machine can list.
 */
import { createInterface, type Interface } from "node:readline/promises";
import { Writable } from "node:stream";
import { PASSWORD_BYTES_MAX } from "../../../src/runtime/base/config/admin-limits.ts";
import { withoutLineBreak } from "../config/secret-files.ts";

/** The longest password and a line break. */
const INPUT_BYTES_MAX = PASSWORD_BYTES_MAX + 2;

async function readPiped(input: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of input) {
    length += chunk.length;
    if (length > INPUT_BYTES_MAX) throw new Error(`standard input has more than ${INPUT_BYTES_MAX} bytes`);
    chunks.push(chunk);
  }
  if (length === 0) throw new Error("standard input is empty. Send it the new password, or run the command in a terminal");
  const password = withoutLineBreak(Buffer.concat(chunks));
  if (password === null) throw new Error("standard input is not valid UTF-8");
  if (/[\r\n]/.test(password)) throw new Error("standard input has more than one line");
  return password;
}

/** Rejects if the user gives up with Ctrl-C or Ctrl-D. */
async function ask(terminal: Interface, prompt: string): Promise<string> {
  const controller = new AbortController();
  const giveUp = () => controller.abort();
  terminal.once("SIGINT", giveUp).once("close", giveUp);
  process.stderr.write(prompt);
  try {
    return await terminal.question("", { signal: controller.signal });
  } catch (error) {
    throw new Error("no password was entered", { cause: error });
  } finally {
    terminal.off("SIGINT", giveUp).off("close", giveUp);
    process.stderr.write("\n");
  }
}

async function askTwice(input: NodeJS.ReadStream): Promise<string> {
  // Readline turns the terminal's own echo off and writes what is typed here instead.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input, output: nowhere, terminal: true, historySize: 0 });
  try {
    const password = await ask(terminal, "New admin password: ");
    if ((await ask(terminal, "Repeat the password: ")) !== password) throw new Error("the two passwords differ");
    return password;
  } finally {
    terminal.close();
  }
}

export const readNewPassword = (): Promise<string> => (process.stdin.isTTY ? askTwice(process.stdin) : readPiped(process.stdin));
