/** What the router sees of a request's path, and where the base path itself leads. */
import { describe, expect, it } from "vitest";
import { pathBelow, redirectToPage } from "../../../src/handlers/router.ts";

describe("the path below the base path", () => {
  it.each([
    ["/stats/", "/"],
    ["/stats/api/event", "/api/event"],
    ["/stats", "/"],
    ["/stats//metrics", "//metrics"],
  ])("of %s is %s", (pathname, below) => {
    expect(pathBelow("/stats", pathname)).toBe(below);
  });

  it.each(["/", "/api/event", "/statsx/metrics", "/Stats/metrics", "/%73tats/metrics", "//stats/metrics"])(
    "of %s, which does not begin with it, is unchanged",
    (pathname) => {
      expect(pathBelow("/stats", pathname)).toBe(pathname);
    },
  );

  it("loses the base path once, so that a repeated base path matches no route", () => {
    expect(pathBelow("/stats", "/stats/stats/metrics")).toBe("/stats/metrics");
  });

  it("at the root equals every path", () => {
    for (const pathname of ["/", "//", "/stats/", "/api/event"]) expect(pathBelow("", pathname)).toBe(pathname);
  });
});

describe("the page", () => {
  it.each([
    ["/stats?site=a%20b&x", "/stats/?site=a%20b&x"],
    ["/stats//", "/stats/"],
    ["//?site=a", "/stats/?site=a"],
  ])("is where %s redirects to: %s", (path, page) => {
    const { status, headers } = redirectToPage(new URL(`http://example.com${path}`), "/stats") ?? {};
    expect([status, headers?.["Location"], headers?.["Cache-Control"]]).toEqual([308, page, "no-store"]);
  });

  it("at the root is the target of paths with extra slashes", () => {
    expect(redirectToPage(new URL("http://example.com//?site=a"), "")?.headers["Location"]).toBe("/?site=a");
    expect(redirectToPage(new URL("http://example.com/?site=a"), "")).toBeNull();
  });

  it.each(["/stats/?site=a", "/"])("is at %s already", (path) => {
    expect(redirectToPage(new URL(`http://example.com${path}`), "/stats")).toBeNull();
  });
});
