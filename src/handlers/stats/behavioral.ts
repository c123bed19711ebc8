/** What the endpoints of the behavioral extension have in common: their parameters are checked first, then that it is there. */
import type { Config } from "../../runtime/config/config.ts";
import type { Over } from "../../runtime/execution/stats-answers.ts";
import type { Context } from "../context.ts";
import type { Reply } from "../reply.ts";
import { figureReply, type Figure } from "./figure.ts";

const MINUTE_MS = 60_000;

export const sessionGapMsOf = ({ sessionWindowMinutes }: Config): number => sessionWindowMinutes * MINUTE_MS;

/** As `figureReply`; 503 without the extension. */
export async function behavioralReply(context: Context, figure: Figure, compute: (over: Over) => Promise<string>): Promise<Reply> {
  await context.services.behavioral.require();
  return figureReply(context, figure, compute);
}
