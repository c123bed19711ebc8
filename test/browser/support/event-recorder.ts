/** Decides what a test knows about the sent events: every request that reached the service's origin, in full, and when so many have. */
import type { OutgoingHttpHeaders, ServerResponse } from "node:http";
import { EVENT_PATH, OPT_OUT_SCRIPT } from "../../../src/runtime/base/config/names.ts";
import { SCRIPT_PATHS } from "../../../src/shared/names.ts";
import { buildOptOut, buildTracker } from "../../../tracker/build.mjs";
import { startLocalServer, type Exchange } from "./local-server.ts";

export type RecordedRequest = Pick<Exchange, "method" | "path" | "headers" | "body">;

/** What the service does with an event: a status, a broken connection, or no answer at all. */
export type Answer = number | "broken" | "none";

export type Recording = {
  readonly origin: string;
  /** Everything that reached the origin, preflights too, except for the scripts and the mark. */
  readonly requests: readonly RecordedRequest[];
  answer: Answer;
  /** Waits until at least this many requests are recorded. */
  received(count: number): Promise<void>;
};

export type EventRecorder = {
  /** A new list under an origin of its own; `localhost` makes one the browser trusts with client hints. */
  createRecording(domain?: "example" | "localhost"): Recording;
  close(): Promise<void>;
};

/** The service's own headers: any origin may send, none may send with credentials. */
const CORS = { "access-control-allow-origin": "*" };

/** A picture that is not recorded: a page asks for it when nothing else of the browser's should still come. */
export const MARK_PATH = "/mark";

/** In answers: which of the recorded requests was answered, counted from 0. */
export const NUMBER_HEADER = "x-number";

/** As the service answers: nothing, or what is wrong as JSON. */
const answerWith = (response: ServerResponse, status: number, headers: OutgoingHttpHeaders): void => {
  if (status < 400) response.writeHead(status, headers).end();
  else response.writeHead(status, { ...headers, "content-type": "application/json" }).end(`{"error":"status ${status}"}`);
};

export const startEventRecorder = async (): Promise<EventRecorder> => {
  const [script, optOut] = await Promise.all([buildTracker(), buildOptOut()]);
  const recordings = new Map<string, { accept(request: RecordedRequest, response: ServerResponse): void }>();

  const server = await startLocalServer((exchange, response) => {
    const { hostname, path } = exchange;
    if ((SCRIPT_PATHS as readonly string[]).includes(path) || path === `/${OPT_OUT_SCRIPT}`) {
      response.writeHead(200, { "content-type": "text/javascript; charset=utf-8" }).end(path === `/${OPT_OUT_SCRIPT}` ? optOut : script);
    } else if (path === MARK_PATH) {
      response.writeHead(204).end();
    } else {
      recordings.get(hostname)?.accept(exchange, response);
    }
  });

  return {
    createRecording(domain = "example") {
      const hostname = `stats-${recordings.size + 1}.${domain}`;
      const origin = `http://${hostname}:${server.port}`;
      const requests: RecordedRequest[] = [];
      const waiting = new Set<() => void>();

      const recording: Recording = {
        origin,
        requests,
        answer: 202,
        received: (count) =>
          new Promise((resolve) => {
            const look = (): void => {
              if (requests.length < count) return;
              waiting.delete(look);
              resolve();
            };
            waiting.add(look);
            look();
          }),
      };
      recordings.set(hostname, {
        accept({ method, path, headers, body }, response) {
          const answerHeaders = { ...CORS, [NUMBER_HEADER]: requests.push({ method, path, headers, body }) - 1 };
          if (path !== EVENT_PATH) response.writeHead(404, answerHeaders).end();
          else if (method === "OPTIONS") response.writeHead(204, answerHeaders).end();
          else if (typeof recording.answer === "number") answerWith(response, recording.answer, answerHeaders);
          else if (recording.answer === "broken") response.destroy();
          for (const look of waiting) look();
        },
      });
      return recording;
    },
    close: () => server.close(),
  };
};
