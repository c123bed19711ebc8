/** What filters select: visitors whole, single events, or the conversions of a goal. */
import { describe, expect, it } from "vitest";
import { filterKindOf, hasGoal, withoutGoalFilters, parseFilters, printFilters } from "../../../../dashboard/state/filters.ts";

describe("filters", () => {
  it.each([
    [null, "visitors"],
    ["countries==DE", "visitors"],
    ["countries!=DE;browsers==Firefox;os!=iOS;devices==mobile", "visitors"],
    ["pages==/pricing", "events"],
    ["pages!=/pricing", "events"],
    ["sources==Google", "events"],
    ["utm-campaigns==spring", "events"],
    ["visit-sources==Google;visit-channels!=Direct", "visitors"],
    ["visit-utm-campaigns==spring;visit-hostnames==shop.example", "visitors"],
    ["visit-sources==Google;sources==Google", "events"],
    ["visit-sources==Google;goal==Signup", "converting"],
    ["screen-sizes==1440", "events"],
    ["countries==DE;hostnames==shop.example", "events"],
    ["events!=Signup", "events"],
    ["events==pageview", "events"],
    ["nonsense==1", "events"],
    ["events==Signup", "goal"],
    ["pages==/pricing;countries==DE;events==Signup", "goal"],
    ["events=in=(Login,Signup)", "goal"],
    ["events=in=(Signup,pageview)", "events"],
    ["events=contains=Sign", "events"],
    ["entry-page==/;exit-page=begins=/docs", "visitors"],
    ["props:plan==pro", "events"],
    ["goal!=Signup", "visitors"],
    ["goal==Signup", "converting"],
    ["goal=begins=Sign;pages==/pricing", "converting"],
    ["goal==Signup;events==Signup", "goal"],
  ] as const)("the filters %s select %s", (text, kind) => {
    expect(filterKindOf(parseFilters(text))).toBe(kind);
  });

  it("filters on events and goals do not limit the base of conversion rates", () => {
    expect(printFilters(withoutGoalFilters(parseFilters("pages==/;events==Signup;events!=Login;goal!=Visit")))).toBe("pages==/");
    expect(printFilters(withoutGoalFilters(parseFilters("events==Signup")))).toBeNull();
  });

  it.each([
    ["events==Signup", "Signup", true],
    ["events==Signup", "Login", false],
    ["events!=Signup", "Signup", false],
    ["events!=Signup", "Login", true],
    ["countries==DE", "Login", true],
    ["events==Login;events!=Signup", "Login", true],
    ["goal=in=(Login,Signup)", "Login", true],
    ["goal!=Login", "Login", false],
    ["events=contains=og", "Login", true],
    ["events=like=*up", "Login", false],
  ] as const)("%s: whether %s is left is %s", (text, name, isLeft) => {
    expect(hasGoal(parseFilters(text), name)).toBe(isLeft);
  });
});
