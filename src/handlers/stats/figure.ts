/** What the endpoints of figures have in common: parse, answer from the cache or the engine, JSON. */
import type { Over } from "../../runtime/execution/stats-answers.ts";
import type { Scope } from "../../runtime/query/scope.ts";
import type { Context } from "../context.ts";
import { jsonTextReply, type Reply } from "../reply.ts";

export interface Figure {
  /** Tells this figure's answers from every other's in the cache. */
  readonly name: string;
  readonly scope: Scope;
  /** Whatever else the answer depends on. */
  readonly parameters?: readonly unknown[];
}

/** Answers with the JSON text that `compute` makes, or made a short while ago for the same question. */
export async function figureReply(
  { services, deadline }: Context,
  { name, scope, parameters = [] }: Figure,
  compute: (over: Over) => Promise<string>,
): Promise<Reply> {
  const { siteId, range, conditions } = scope;
  const key = { figure: name, siteId, parameters: [range.firstDay, range.lastDay, conditions, parameters] };
  return jsonTextReply(await services.stats.cached(key, deadline.signal, compute));
}
