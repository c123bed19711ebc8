/** When the proxy check says that `trust_proxy` is wrong, and which value it names. */
import { describe, expect, it } from "vitest";
import { addressChainOf } from "../../../../src/handlers/origins.ts";
import { HIDDEN_EVENTS_MIN, PROXY_EVENTS_MIN, PROXY_WINDOW_EVENTS } from "../../../../src/runtime/base/config/limits.ts";
import { ProxyCheck } from "../../../../src/runtime/installation/proxy-check.ts";
import { createRecordingLog } from "../../../support/recording-log.ts";

/** The connection's address and the header of the event with this number. */
type Sender = (event: number) => readonly [socketAddress: string, forwardedFor: string | null];

function checkOf(trustProxy: number) {
  const log = createRecordingLog();
  const check = new ProxyCheck({ trustProxy, log, randomBytes: (length) => new Uint8Array(length).fill(7) });
  const send = (events: number, sender: Sender) => {
    for (let event = 0; event < events; event++) {
      const [socketAddress, forwardedFor] = sender(event);
      check.note(addressChainOf({ socketAddress, forwardedFor }, check.entriesMax));
    }
  };
  return { check, log, send };
}

const findingOf = (trustProxy: number, events: number, sender: Sender) => {
  const { check, send } = checkOf(trustProxy);
  send(events, sender);
  return check.finding;
};

const visitor = (event: number): string => `198.51.100.${1 + (event % 200)}`;
const edge = (event: number): string => `203.0.113.${1 + (event % 5)}`;

describe("too few trusted proxies", () => {
  it.each<readonly [string, number, Sender, number]>([
    ["a proxy on the same machine", 0, (event) => ["127.0.0.1", visitor(event)], 1],
    ["a proxy on the same machine and one visitor", 0, () => ["::1", "198.51.100.7"], 1],
    ["a proxy in a container network", 0, (event) => ["::ffff:172.18.0.1", visitor(event)], 1],
    ["two proxies in private networks", 0, (event) => ["10.0.0.2", `${visitor(event)}, 10.0.0.1`], 2],
    ["a second proxy in a private network", 1, (event) => ["127.0.0.1", `${visitor(event)}, 10.0.0.1`], 2],
    ["visitors who claim addresses", 0, (event) => ["127.0.0.1", `1.2.3.4, 5.6.7.8, ${visitor(event)}`], 1],
  ])("too few trusted proxies are noticed after a few events behind %s", (_, trustProxy, sender, suggested) => {
    expect(findingOf(trustProxy, HIDDEN_EVENTS_MIN - 1, sender)).toBeNull();
    expect(findingOf(trustProxy, HIDDEN_EVENTS_MIN, sender)).toEqual({ problem: "too_few", trustProxy: suggested });
  });

  it.each<readonly [string, number, Sender, number]>([
    ["a proxy with one public address", 0, (event) => ["203.0.113.1", visitor(event)], 1],
    ["a public proxy in front of one that is trusted", 1, (event) => ["127.0.0.1", `${visitor(event)}, 203.0.113.1`], 2],
    ["one proxy of visitors in a private network", 0, (event) => ["10.0.0.1", `10.1.0.${event}`], 1],
  ])(
    "too few trusted proxies are noticed behind %s once there are enough events to tell them from one visitor",
    (_, trustProxy, sender, suggested) => {
      expect(findingOf(trustProxy, PROXY_EVENTS_MIN - 1, sender)).toBeNull();
      expect(findingOf(trustProxy, PROXY_EVENTS_MIN, sender)).toEqual({ problem: "too_few", trustProxy: suggested });
    },
  );

  it.each<readonly [string, number, Sender, number]>([
    ["directly", 0, (event) => [edge(event), visitor(event)], 1],
    ["in front of a trusted proxy", 1, (event) => ["127.0.0.1", `${visitor(event)}, ${edge(event)}`], 2],
  ])("too few trusted proxies are noticed behind the many addresses of a CDN, %s", (_, trustProxy, sender, suggested) => {
    expect(findingOf(trustProxy, PROXY_WINDOW_EVENTS - 1, sender)).toBeNull();
    expect(findingOf(trustProxy, PROXY_WINDOW_EVENTS, sender)).toEqual({ problem: "too_few", trustProxy: suggested });
  });
});

describe("too many trusted proxies", () => {
  it.each<readonly [string, number, Sender, number]>([
    ["one proxy instead of two", 2, (event) => ["127.0.0.1", visitor(event)], 1],
    [
      "some clients that forge the missing entry",
      2,
      (event) => ["127.0.0.1", event % 15 === 0 ? `1.2.3.4, ${visitor(event)}` : visitor(event)],
      1,
    ],
    ["no proxy", 1, (event) => [visitor(event), null], 0],
    ["a proxy that sends no header", 1, () => ["127.0.0.1", null], 0],
    ["some clients that forge the header", 1, (event) => [visitor(event), event % 15 === 0 ? "1.2.3.4" : null], 0],
  ])("too many trusted proxies are noticed with %s", (_, trustProxy, sender, suggested) => {
    expect(findingOf(trustProxy, PROXY_EVENTS_MIN - 1, sender)).toBeNull();
    expect(findingOf(trustProxy, PROXY_EVENTS_MIN, sender)).toEqual({ problem: "too_many", trustProxy: suggested });
  });
});

describe("a right number of proxies", () => {
  it.each<readonly [string, number, Sender]>([
    ["no proxy", 0, (event) => [visitor(event), null]],
    ["no proxy, and one visitor", 0, () => ["198.51.100.7", null]],
    ["no proxy, and one visitor behind a proxy of theirs", 0, () => ["203.0.113.1", "10.0.0.5"]],
    ["no proxy, and a client that claims an address", 0, (event) => [visitor(event), event % 3 === 0 ? "1.2.3.4" : null]],
    ["visitors of a private network without a proxy", 0, (event) => [`10.0.0.${event}`, null]],
    ["a platform that repeats the address of the connection", 0, (event) => [visitor(event), visitor(event)]],
    ["one proxy", 1, (event) => ["127.0.0.1", visitor(event)]],
    [
      "one proxy, and visitors who claim addresses",
      1,
      (event) => ["127.0.0.1", event % 3 === 0 ? `1.2.3.4, ${visitor(event)}` : visitor(event)],
    ],
    ["two proxies", 2, (event) => ["127.0.0.1", `${visitor(event)}, ${edge(event)}`]],
    ["one proxy of visitors in a private network", 1, (event) => ["10.0.0.1", `10.1.0.${event}`]],
  ])("a right number of proxies has no finding: %s", (_, trustProxy, sender) => {
    const { check, log, send } = checkOf(trustProxy);
    send(3 * PROXY_WINDOW_EVENTS, sender);
    expect([check.finding, log.lines]).toEqual([null, []]);
  });

  it.each<readonly [string, number, number, Sender, Sender]>([
    ["too many", 1, PROXY_EVENTS_MIN, () => ["127.0.0.1", null], (event) => ["127.0.0.1", visitor(event)]],
    ["too few, after a few events", 0, HIDDEN_EVENTS_MIN, () => ["10.0.0.9", "1.2.3.4"], () => ["10.0.0.9", null]],
    ["too few, after a window", 0, PROXY_WINDOW_EVENTS, (event) => [edge(event), visitor(event)], (event) => [visitor(event), null]],
  ])("a finding ends once as many events contradict it as the first conclusion needs: %s", (_, trustProxy, events, forged, honest) => {
    const { check, send } = checkOf(trustProxy);
    send(events, forged);
    expect(check.finding).not.toBeNull();
    send(PROXY_EVENTS_MIN, honest);
    expect(check.finding).toBeNull();
  });

  it("a finding that only a full window shows stays while further events fit it", () => {
    const { check, send } = checkOf(0);
    const behindCdn: Sender = (event) => [edge(event), visitor(event)];
    send(PROXY_WINDOW_EVENTS, behindCdn);
    for (let event = 0; event < PROXY_WINDOW_EVENTS; event++) {
      send(1, () => behindCdn(event));
      expect(check.finding).toEqual({ problem: "too_few", trustProxy: 1 });
    }
  });
});

describe("the warning", () => {
  it("the warning names the option and the value, holds no address, and is logged once", () => {
    const { log, send } = checkOf(0);
    send(3 * PROXY_WINDOW_EVENTS, (event) => ["127.0.0.1", visitor(event)]);
    expect(log.lines).toEqual([
      {
        level: "warn",
        message: expect.stringMatching(/with trust_proxy = 0\. Set trust_proxy = 1 if that is the number of your proxies;/),
        fields: {},
      },
    ]);
    expect(JSON.stringify(log.lines)).not.toMatch(/\d+\.\d+\.\d+/);
  });

  it("the warning leaves the number to the operator, because one client can fake further proxies", () => {
    const { check, log, send } = checkOf(1);
    send(PROXY_EVENTS_MIN, (event) => ["127.0.0.1", `192.0.2.${event}, 198.51.100.7`]);
    expect(check.finding).toEqual({ problem: "too_few", trustProxy: 2 });
    expect(log.lines.map(({ message }) => message)).toEqual([
      expect.stringMatching(/Set trust_proxy = 2 if that is the number of your proxies; otherwise clients make the header up$/),
    ]);
  });

  it("the warning names the alternatives if no header arrives", () => {
    const { log, send } = checkOf(1);
    send(PROXY_WINDOW_EVENTS, () => ["127.0.0.1", null]);
    expect(log.lines.map(({ message }) => message)).toEqual([
      expect.stringMatching(/without X-Forwarded-For, but trust_proxy = 1\. Have the proxy send the header, or set trust_proxy = 0/),
    ]);
  });
});

describe("the addresses of a request", () => {
  it.each([
    [null, 2, ["192.0.2.1"]],
    ["", 2, ["192.0.2.1", null]],
    ["1.1.1.1", 2, ["192.0.2.1", "1.1.1.1"]],
    ["1.1.1.1, 2.2.2.2,3.3.3.3", 5, ["192.0.2.1", "3.3.3.3", "2.2.2.2", "1.1.1.1"]],
    ["1.1.1.1, 2.2.2.2, 3.3.3.3", 2, ["192.0.2.1", "3.3.3.3", "2.2.2.2"]],
    ["unknown, [2001:db8::1]:443, 3.3.3.3:80,", 9, ["192.0.2.1", null, "3.3.3.3", "2001:db8::1", null]],
    [`${"a".repeat(60_000)}, 3.3.3.3`, 1, ["192.0.2.1", "3.3.3.3"]],
  ])("the addresses of a request are read from the right: %j, at most %i", (forwardedFor, entriesMax, expected) => {
    expect(addressChainOf({ socketAddress: "192.0.2.1", forwardedFor }, entriesMax)).toEqual(expected);
  });
});
