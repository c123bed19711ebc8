/** Which connections a browser that was led here by DNS rebinding can make: those of this machine and of private networks. */
import { expect, it } from "vitest";
import { isPrivate } from "../../../src/handlers/origins.ts";

it.each([
  ...["127.0.0.1", "127.255.255.255", "10.0.0.0", "10.255.255.255", "172.16.0.0", "172.31.255.255", "192.168.0.0", "192.168.255.255"],
  ...[
    "169.254.0.1",
    "100.64.0.0",
    "100.127.255.255",
    "0.0.0.0",
    "::1",
    "::",
    "fc00::1",
    "fdff::1",
    "fe80::1",
    "febf::1",
    "fe80::1%eth0",
    "FE80::1",
  ],
  ...["0:0:0:0:0:0:0:1", "::ffff:127.0.0.1", "::ffff:10.1.2.3", "::FFFF:c0a8:0101"],
  ...["", "unknown", "/run/sandpiper.sock", "300.1.1.1"],
])("rebinding: a connection from %j counts as private", (address) => {
  expect(isPrivate(address)).toBe(true);
});

it.each([
  ...["126.255.255.255", "128.0.0.1", "9.255.255.255", "11.0.0.0", "172.15.255.255", "172.32.0.0", "192.167.255.255", "192.169.0.0"],
  ...["169.253.0.1", "169.255.0.1", "100.63.255.255", "100.128.0.0", "1.1.1.1", "8.8.8.8", "203.0.113.9"],
  ...["::2", "::1:1", "fbff::1", "fe00::1", "fe7f::1", "2001:db8::1", "::ffff:8.8.8.8"],
])("rebinding: a connection from %s counts as public", (address) => {
  expect(isPrivate(address)).toBe(false);
});
