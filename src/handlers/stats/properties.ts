/** GET /api/stats/properties and /property-values (contract 4.4): custom properties of events. */
import { parsePropertyKey, propertyKeysOf, propertyValuesOf } from "../../runtime/reports/properties.ts";
import type { Handler } from "../context.ts";
import { Query } from "../query.ts";
import { figureReply } from "./figure.ts";

export const getProperties: Handler = (_request, context) => {
  const scope = new Query(context.url).scope(context.nowMs);
  return figureReply(context, { name: "properties", scope }, async (over) =>
    JSON.stringify(await over({ ...scope, withProperties: true }, (ask) => propertyKeysOf(ask, scope))),
  );
};

export const getPropertyValues: Handler = (_request, context) => {
  const query = new Query(context.url);
  const scope = query.scope(context.nowMs);
  const key = parsePropertyKey(query.text("key"));
  const eventName = query.text("event");
  return figureReply(context, { name: "property-values", scope, parameters: [key, eventName] }, async (over) =>
    JSON.stringify(await over({ ...scope, withProperties: true }, (ask) => propertyValuesOf(ask, scope, key, eventName))),
  );
};
