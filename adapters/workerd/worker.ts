/** The Worker: passes every request to the object that serves it. */
import "./globals.ts";
import { Front } from "./front.ts";
import { registryIn, siteIn, type ObjectEnvironment } from "./objects.ts";
import { configIn } from "./service-object.ts";

// The name under which the class was first deployed.
export { RegistryObject as AnalyticsObject } from "./registry-object.ts";
export { SiteObject } from "./site-object.ts";

let front: Front | null = null;

/** null while an option is invalid: then the registry reports it. Options do not change while an isolate lives. */
function frontFor(environment: ObjectEnvironment): Front | null {
  try {
    front ??= new Front({
      config: configIn(environment).config,
      registry: () => registryIn(environment),
      site: (siteId) => siteIn(environment, siteId),
    });
  } catch {
    return null;
  }
  return front;
}

export default {
  fetch(request: Request, environment: ObjectEnvironment): Promise<Response> {
    return frontFor(environment)?.fetch(request) ?? registryIn(environment).fetch(request);
  },
};
