/** What the endpoints of the behavioral extension have in common: their parameters are checked first, then that it is there. */
import type { Config } from "../../runtime/config.ts";
import type { Over } from "../../runtime/stats/stats-answers.ts";
import type { Context } from "../context.ts";
import { figureResponse, type Figure } from "./figure.ts";

const MINUTE_MS = 60_000;

export const sessionGapMsOf = ({ sessionWindowMinutes }: Config): number => sessionWindowMinutes * MINUTE_MS;

/** As `figureResponse`; 503 without the extension. */
export async function behavioralResponse(context: Context, figure: Figure, compute: (over: Over) => Promise<string>): Promise<Response> {
  await context.services.behavioral.require();
  return figureResponse(context, figure, compute);
}
