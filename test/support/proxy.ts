/** nginx and Caddy with the configurations of docs/reverse-proxy.md, if they are installed: neither is an npm package. */
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { request, type IncomingHttpHeaders } from "node:http";
import { createServer } from "node:net";
import { join } from "node:path";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { readPage, type Page } from "../docs/pages.ts";
import { makeTempFolder, removeFolder } from "./temp-folder.ts";

export type ProxyName = "nginx" | "caddy";

export const REVERSE_PROXY = readPage("docs/reverse-proxy.md");

/** The first block of code in that language below the heading. */
export function snippetOf({ text }: Page, heading: string, language: string): string {
  const section = text.split(new RegExp(`^#+ ${heading}\n`, "m"))[1] ?? "";
  const code = section.split("```" + language + "\n")[1]?.split("```")[0];
  if (code === undefined) throw new Error(`no ${language} below "${heading}"`);
  return code;
}

/** The snippet in front of this service. */
export const before = (service: string, text: string): string => text.replaceAll("127.0.0.1:8000", new URL(service).host);

export interface Proxy {
  readonly port: number;
  readonly pid: number;
  stop(): Promise<void>;
}

export interface ProxyOptions {
  /** The content of the site's block. */
  readonly snippet: string;
  /** What stands around it, for nginx. */
  readonly http?: string;
  /** Paths of the site with a page that the proxy itself serves. */
  readonly pages?: Readonly<Record<string, (port: number) => string>>;
}

interface Kind {
  readonly versionArgs: readonly string[];
  readonly args: (file: string, folder: string) => readonly string[];
  /** The configuration around the snippet: any host name, an unprivileged user, and files in this folder only. */
  readonly config: (port: number, folder: string, snippet: string, http: string) => string;
  readonly page: (path: string, html: string) => string;
}

const KINDS: Readonly<Record<ProxyName, Kind>> = {
  nginx: {
    versionArgs: ["-v"],
    args: (file, folder) => ["-p", folder, "-e", "stderr", "-c", file],
    config: (port, folder, snippet, http) => `
      daemon off; master_process off; pid ${folder}/pid; error_log stderr;
      events {}
      http {
        access_log off;
        ${["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) => `${name}_temp_path ${folder}/${name};`).join("\n")}
        ${http}
        server { listen 127.0.0.1:${port}; ${snippet} }
      }`,
    page: (path, html) => `location = ${path} { default_type text/html; return 200 '${html}'; }`,
  },
  caddy: {
    versionArgs: ["version"],
    args: (file) => ["run", "--adapter", "caddyfile", "--config", file],
    config: (port, _, snippet) => `{\nadmin off\nauto_https off\n}\nhttp://:${port} {\nbind 127.0.0.1\n${snippet}\n}`,
    page: (path, html) => `header ${path} Content-Type text/html\nrespond ${path} \`${html}\``,
  },
};

/** The reason why the proxy's tests cannot run on this machine; null if they can. */
export function whyMissing(name: ProxyName): string | null {
  return spawnSync(name, KINDS[name].versionArgs).error === undefined ? null : `no ${name} on this machine`;
}

/** Each process that runs tests looks in a block of its own: the numbers of two that run side by side may be neighbours. */
const [FIRST_PORT, BLOCKS, BLOCK_PORTS] = [20_000, 600, 20];

/** Below the ephemeral ports, so that no other process gets it before the proxy. */
async function freePort(): Promise<number> {
  const first = FIRST_PORT + (process.pid % BLOCKS) * BLOCK_PORTS;
  for (let port = first; port < first + BLOCK_PORTS; port++) {
    const server = createServer().listen(port, "127.0.0.1");
    const isFree = await once(server, "listening").then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
  throw new Error("no port is free");
}

/** All running proxies, so that those of a failed test can be killed. */
const alive = new Set<ChildProcess>();
process.once("exit", () => {
  for (const child of alive) child.kill("SIGKILL");
});

/** Starts the proxy and waits until it listens. */
export async function startProxy(name: ProxyName, { snippet, http = "", pages = {} }: ProxyOptions): Promise<Proxy> {
  const { args, config, page } = KINDS[name];
  const folder = await makeTempFolder();
  const port = await freePort();
  const file = join(folder, "config");
  const served = Object.entries(pages).map(([path, html]) => page(path, html(port)));
  await writeFile(file, config(port, folder, [snippet, ...served].join("\n"), http));
  const child = spawn(name, args(file, folder), { stdio: ["ignore", "ignore", "pipe"], env: { PATH: process.env["PATH"], HOME: folder } });
  alive.add(child);
  let printed = "";
  child.stderr.on("data", (chunk: Buffer) => (printed += chunk.toString()));
  const ended = once(child, "close").then(() => alive.delete(child));
  const stop = async (): Promise<void> => {
    child.kill("SIGKILL");
    await ended;
    await removeFolder(folder);
  };
  while (child.exitCode === null) {
    const isListening = await requestProxy(port, "/").then(
      () => true,
      () => false,
    );
    if (isListening) return { port, pid: child.pid ?? 0, stop };
  }
  await stop();
  throw new Error(`${name} ended:\n${printed}`);
}

export interface ProxyRequest {
  readonly method?: "GET" | "POST";
  /** The local address: any in 127.0.0.0/8. */
  readonly from?: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string;
}

export interface ProxyResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The body as received, before decoding. */
  readonly bytes: Buffer;
  /** The decoded body. */
  readonly text: string;
}

function decoded(bytes: Buffer, coding: string | undefined): Buffer {
  if (coding === "br") return brotliDecompressSync(bytes);
  return coding === "gzip" ? gunzipSync(bytes) : bytes;
}

/** Sends a request from the given local address, and returns the raw response. */
export async function requestProxy(
  port: number,
  path: string,
  { method = "GET", from = "127.0.0.1", headers = {}, body }: ProxyRequest = {},
): Promise<ProxyResponse> {
  return new Promise((resolve, reject) => {
    const sent = request({
      host: "127.0.0.1",
      port,
      path,
      method,
      localAddress: from,
      headers: headers as IncomingHttpHeaders,
      agent: false,
    });
    sent.once("error", reject);
    sent.once("response", (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.once("error", reject);
      response.once("end", () => {
        const bytes = Buffer.concat(chunks);
        const text = decoded(bytes, response.headers["content-encoding"]).toString();
        resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes, text });
      });
    });
    sent.end(body);
  });
}
