/** The command `healthcheck` of the built program, against a running server, none, one that is not ready and one that never answers. */
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { runProgram } from "../support/run-process.ts";
import { startServer } from "../support/server-process.ts";
import { tempFolder } from "../support/temp-folder.ts";

/** The port of a server of the test. */
async function portOf(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, "127.0.0.1");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, "listening");
  return String((server.address() as AddressInfo).port);
}

describe("healthcheck", () => {
  it("exits with 0 and prints one line if the server is ready", async () => {
    const server = await startServer({ dataFolder: await tempFolder(), environment: { SVC_ADMIN_PASSWORD: "correct horse battery" } });
    onTestFinished(() => server.kill9());
    await expect.poll(async () => (await fetch(`${server.origin}/health/ready`)).status).toBe(200);
    const { port } = new URL(server.origin);
    const ready = { code: 0, stdout: `http://127.0.0.1:${port}/health/ready answered 200\n`, stderr: "" };
    expect(await runProgram(["healthcheck", "--port", port])).toEqual(ready);
    const environment = { SVC_PORT: port, SVC_HOST: "0.0.0.0", SVC_DASHBOARD_ORIGIN: "https://stats.example.com", SVC_PROT: "1" };
    expect(await runProgram(["healthcheck"], { environment })).toEqual(ready);
  });

  it("exits with 1 if the server answers that it is not ready", async () => {
    const port = await portOf((_, response) => response.writeHead(503).end("loading"));
    expect(await runProgram(["healthcheck", "--port", port])).toEqual({
      code: 1,
      stdout: `http://127.0.0.1:${port}/health/ready answered 503\n`,
      stderr: "",
    });
  });

  it("exits with 1 if nothing listens, even under a name with several addresses", async () => {
    const port = await portOf(() => {});
    const taken = await runProgram(["healthcheck", "--port", port, "--host", "::1"]);
    expect(taken).toMatchObject({ code: 1, stdout: "" });
    expect(taken.stderr).toMatch(/^sandpiper cannot check the server: http:\/\/\[::1\]:\d+\/health\/ready: .*E[A-Z]+.*\n$/);
    const unused = await runProgram(["healthcheck", "--port", "1", "--host", "localhost"]);
    expect(unused).toMatchObject({ code: 1, stdout: "" });
    expect(unused.stderr).toMatch(/^sandpiper cannot check the server: http:\/\/localhost:1\/health\/ready: .*ECONNREFUSED.*\n$/);
  });

  it("exits with 1 if the server does not answer in time", async () => {
    const port = await portOf(() => {});
    expect(await runProgram(["healthcheck", "--port", port])).toEqual({
      code: 1,
      stdout: "",
      stderr: `sandpiper cannot check the server: http://127.0.0.1:${port}/health/ready: no answer within 5 seconds\n`,
    });
  });

  it("exits with 1 if the port is unknown", async () => {
    expect(await runProgram(["healthcheck", "--port=0"])).toMatchObject({ code: 1, stderr: expect.stringContaining("Set --port") });
  });
});
