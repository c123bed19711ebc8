/** A made-up visit: pages that lead to the price list, to a signup and now and then to a purchase. */
import { UNRECORDED, type EpochMs, type StoredEvent } from "../../../storage/event.ts";
import { FILE_DOWNLOAD, OUTBOUND_CLICK, PAGEVIEW } from "../../base/config/names.ts";
import { CAMPAIGN, DEVICE, PAGE, PLACE, SOURCE, type Campaign, type Device, type Place, type Source } from "./demo-tables.ts";
import { choiceOf, type Numbers } from "./seeded-numbers.ts";

/** What all events of a day have in common. */
export type OfDay = Pick<StoredEvent, "siteId" | "date" | "hostname">;

/** What the events of a visitor have in common. */
export interface Visitor extends OfDay, Source, Campaign, Place, Device {
  readonly visitorId: bigint;
}

interface Plan {
  readonly id: string;
  /** The name that customers see. */
  readonly name: string;
  /** The price of a seat, in hundredths. */
  readonly cents: number;
}

const PLAN = choiceOf<Plan>(
  [70, { id: "free", name: "Free", cents: 0 }],
  [20, { id: "pro", name: "Pro Monthly", cents: 900 }],
  [10, { id: "team", name: "Team Annual", cents: 4900 }],
);

const CURRENCY = choiceOf([72, "EUR"], [28, "USD"]);

const CONTINUES = 0.5;
const PAUSE_MS_MIN = 8_000;
const PAUSE_MS_MAX = 118_000;

const bits32 = (numbers: Numbers): bigint => BigInt(Math.floor(numbers() * 2 ** 32));

/** Picks a random source by default. */
export function visitorFrom(ofDay: OfDay, numbers: Numbers, source?: Source): Visitor {
  const visitorId = (bits32(numbers) << 32n) | bits32(numbers);
  const campaign = CAMPAIGN(numbers);
  return { ...ofDay, visitorId, ...(source ?? SOURCE(numbers)), ...campaign, ...PLACE(numbers), ...DEVICE(numbers) };
}

/** The events of a visit, in their order. */
export function visitOf(visitor: Visitor, startMs: EpochMs, numbers: Numbers): StoredEvent[] {
  const events: StoredEvent[] = [];
  let [atMs, pathname] = [startMs, PAGE(numbers)];
  const add = (eventName: string, props: object | null = null, revenue: Partial<StoredEvent> = {}) =>
    events.push({
      ...UNRECORDED,
      ...visitor,
      ...revenue,
      timestampMs: Math.floor(atMs),
      eventName,
      pathname,
      props: props && JSON.stringify(props),
    });
  const pause = () => (atMs += PAUSE_MS_MIN + numbers() * (PAUSE_MS_MAX - PAUSE_MS_MIN));
  add(PAGEVIEW);
  while (numbers() < CONTINUES) {
    pause();
    pathname = pathname === "/" && numbers() < 0.35 ? "/pricing" : PAGE(numbers);
    add(PAGEVIEW);
  }
  if (pathname === "/pricing" && numbers() < 0.4) {
    pause();
    signUp(add, pause, numbers);
  }
  if (pathname.startsWith("/blog/") && numbers() < 0.06) add("Newsletter", { list: "monthly" });
  if (numbers() < 0.06) add(OUTBOUND_CLICK, { url: "https://github.com/" });
  if (pathname.startsWith("/docs") && numbers() < 0.08) add(FILE_DOWNLOAD, { url: "/files/handbook.pdf" });
  return events;
}

type Add = (eventName: string, props: object, revenue?: Partial<StoredEvent>) => void;

function signUp(add: Add, pause: () => void, numbers: Numbers): void {
  const { id: plan, name, cents } = PLAN(numbers);
  add("Signup", { plan, "plan name": name });
  if (cents === 0) return;
  pause();
  const seats = 1 + Math.floor(numbers() * numbers() * 12);
  const revenue = { revenueCents: cents * seats, currency: CURRENCY(numbers) };
  add("Purchase", { plan, "plan name": name, seats }, revenue);
}
