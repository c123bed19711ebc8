/** Records which routes a suite has requested, on any host. */
import { ROUTES } from "../../src/handlers/app.ts";
import { routeIdOf } from "../../src/handlers/router.ts";
import type { Environment, MakeTarget, Target } from "./target.ts";

/** Every route of the service, e.g. `DELETE /api/keys/:key_hash`. */
export const ROUTE_IDS: readonly string[] = ROUTES.map(routeIdOf);

const FORMS = ROUTES.map((route) => ({
  id: routeIdOf(route),
  method: route.method as string,
  path: new RegExp(`^${route.path.replaceAll(".", "\\.").replace(/:\w+/g, "[^/]+")}$`),
}));

const idOf = (method: string, path: string): string | undefined =>
  FORMS.find((form) => form.method === method && form.path.test(path.replace(/\?.*$/s, "")))?.id;

export type WithAskedRoutes<M extends MakeTarget> = M & { readonly askedRoutes: ReadonlySet<string> };

/** Wraps targets so that their requested routes are recorded. */
export function withAskedRoutes<M extends MakeTarget>(makeTarget: M): WithAskedRoutes<M> {
  const askedRoutes = new Set<string>();
  const makeRecorded = async (environment?: Environment): Promise<Target> => {
    const target = await makeTarget(environment);
    return {
      ...target,
      fetch(path, init) {
        const id = idOf(init?.method ?? "GET", path);
        if (id !== undefined) askedRoutes.add(id);
        return target.fetch(path, init);
      },
    };
  };
  return Object.assign(makeRecorded, makeTarget, { askedRoutes });
}
