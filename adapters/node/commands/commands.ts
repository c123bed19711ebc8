/** The table of all commands, in the order of the help. The first one runs if none is named. */
import { backup } from "./backup.ts";
import type { Command } from "./command.ts";
import { healthcheck } from "./healthcheck.ts";
import { reindex } from "./reindex.ts";
import { resetPassword } from "./reset-password.ts";
import { restore } from "./restore.ts";
import { serve } from "./serve.ts";
import { verify } from "./verify.ts";

export const COMMANDS: readonly [Command, ...Command[]] = [serve, verify, backup, restore, reindex, resetPassword, healthcheck];
