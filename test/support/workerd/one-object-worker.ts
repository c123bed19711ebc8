/** A Worker whose one object serves all sites, as all deployments were before sites had objects of their own. */
import "../../../adapters/workerd/globals.ts";
import { Alarm } from "../../../adapters/workerd/alarms.ts";
import { connectionOf } from "../../../adapters/workerd/front.ts";
import { startInstance, type Instance, type InstanceOptions } from "../../../adapters/workerd/instance.ts";
import { registryIn, type ObjectEnvironment } from "../../../adapters/workerd/objects.ts";
import { ServiceObject } from "../../../adapters/workerd/service-object.ts";

export { SiteObject } from "../../../adapters/workerd/site-object.ts";

interface OneInstance extends Instance {
  readonly alarm: Alarm;
}

export class AnalyticsObject extends ServiceObject<OneInstance> {
  protected async start(options: InstanceOptions): Promise<OneInstance> {
    return { ...(await startInstance(options, {})), alarm: await Alarm.open(options.storage) };
  }

  fetch(request: Request): Promise<Response> {
    return this.whenStarted(request, async ({ answer, services, alarm }) => {
      const response = await answer(request, connectionOf(request, services.config));
      await alarm.ensureWithin(services.config.flushIntervalSecs * 1000);
      return response;
    });
  }

  async alarm(): Promise<void> {
    const { services, alarm } = await this.instance();
    alarm.noteFired();
    services.tick();
    await services.settled();
  }
}

export default {
  fetch: (request: Request, environment: ObjectEnvironment): Promise<Response> => registryIn(environment).fetch(request),
};
