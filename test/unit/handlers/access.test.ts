/** Where credentials are looked for in a request, and how many of them. */
import { describe, expect, it } from "vitest";
import { apiKeysOf, sessionTokensOf } from "../../../src/handlers/access.ts";

const requestWith = (headers: Readonly<Record<string, string>>): Request => new Request("http://stats.test/", { headers });

const KEY = `svc_${"a".repeat(64)}`;

describe("the session cookie", () => {
  it.each([
    ["", []],
    ["svc_session=a", ["a"]],
    ["a=b; svc_session=c; d=e", ["c"]],
    ["a=b;svc_session=c;d=e", ["c"]],
    ["svc_session=a; svc_session=b", ["a", "b"]],
    ["svc_session", [""]],
    ["svc_session=", [""]],
    ["xsvc_session=a; svc_session2=b; SVC_SESSION=c", []],
    ["a=svc_session=b", []],
    ["svc_session=1; svc_session=2; svc_session=3; svc_session=4; svc_session=5", ["1", "2", "3", "4"]],
  ])("in %j is %j", (cookie, tokens) => {
    expect(sessionTokensOf(requestWith(cookie === "" ? {} : { cookie }))).toEqual(tokens);
  });
});

describe("keys", () => {
  it.each([
    [{}, []],
    [{ authorization: `Bearer ${KEY}` }, [KEY]],
    [{ authorization: `BEARER   ${KEY}  ` }, [KEY]],
    [{ "x-api-key": ` ${KEY} ` }, [KEY]],
    [{ authorization: `Bearer ${KEY}`, "x-api-key": `${KEY}b` }, [KEY, `${KEY}b`]],
    [{ authorization: KEY }, []],
    [{ authorization: `Bearer${KEY}` }, []],
    [{ authorization: `Bearer ${KEY} ${KEY}` }, []],
    [{ authorization: `Basic ${KEY}` }, []],
    [{ authorization: "Bearer another-service" }, []],
    [{ "x-api-key": `Bearer ${KEY}` }, []],
  ])("in %j are %j", (headers, keys) => {
    expect(apiKeysOf(requestWith(headers as Record<string, string>))).toEqual(keys);
  });
});
