/** Every way in which a streamed response can end: what it holds is given back once, and whoever reads it knows whether it is whole. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { ResponseStreams } from "../../../src/handlers/response-streams.ts";
import { RESPONSE_GRACE_MS, RESPONSE_SLICE_BYTES, RESPONSE_STALL_MS } from "../../../src/runtime/base/config/limits.ts";
import { createDeferred, type Deferred } from "../../support/deferred.ts";
import { createRecordingLog } from "../../support/recording-log.ts";

const CHUNK_BYTES = RESPONSE_SLICE_BYTES * 2.5;

function opened({ chunks = 2, failsAt = Number.POSITIVE_INFINITY, writingMs = 0 } = {}) {
  const state: { monotonicMs: number; ended: number; written: number; wantedSinceMs: number | null } = {
    ...{ monotonicMs: 1_000_000, ended: 0, written: 0 },
    wantedSinceMs: null,
  };
  const log = createRecordingLog();
  const streams = new ResponseStreams({ monotonicMs: () => state.monotonicMs, pause: () => Promise.resolve(), log });
  const client = new AbortController();
  async function* source(): AsyncGenerator<Uint8Array, undefined> {
    for (let chunk = 0; chunk < chunks; chunk++) {
      if (chunk === failsAt) throw new Error("no more");
      state.monotonicMs += writingMs;
      state.written++;
      yield new Uint8Array(CHUNK_BYTES).fill(chunk + 1);
    }
    return undefined;
  }
  const open = (isAllowed: (() => Promise<boolean>) | null = null) =>
    streams.open({
      chunks: source(),
      onEnd: () => void state.ended++,
      signal: client.signal,
      isAllowed,
      bytesPerSecondMin: RESPONSE_SLICE_BYTES,
      whileWanted: { bytesPerSecondMin: 4 * RESPONSE_SLICE_BYTES, sinceMs: () => state.wantedSinceMs },
    });
  return { state, log, streams, client, open };
}

async function readAll(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<number> {
  let bytes = 0;
  for (let next = await reader.read(); !next.done; next = await reader.read()) bytes += next.value.length;
  return bytes;
}

describe("a streamed response", () => {
  it("is complete and in order, and ends only when its last byte is read", async () => {
    const { state, streams, open } = opened();
    const reader = open().getReader();
    const bytes: number[] = [];
    while (bytes.length < 2 * CHUNK_BYTES) {
      const { value = new Uint8Array(0) } = await reader.read();
      expect(value.length).toBeLessThanOrEqual(RESPONSE_SLICE_BYTES);
      bytes.push(...value);
      expect({ ended: state.ended, open: streams.count }).toEqual({ ended: 0, open: 1 });
    }
    expect(await reader.read()).toEqual({ done: true, value: undefined });
    expect({ ended: state.ended, open: streams.count }).toEqual({ ended: 1, open: 0 });
    expect(bytes.map((byte, at) => byte === Math.floor(at / CHUNK_BYTES) + 1)).not.toContain(false);
  });

  it("is written on demand, no further than the client reads", async () => {
    const { state, open } = opened({ chunks: 100 });
    const reader = open().getReader();
    expect(state.written).toBe(0);
    await reader.read();
    expect(state.written).toBe(1);
  });

  it("is aborted with an error if nothing was read for the time limit", async () => {
    const { state, streams, open } = opened();
    const reader = open().getReader();
    await reader.read();
    state.monotonicMs += RESPONSE_STALL_MS - 1;
    streams.endOverdue();
    expect(state.ended).toBe(0);
    state.monotonicMs += 1;
    streams.endOverdue();
    expect({ ended: state.ended, open: streams.count }).toEqual({ ended: 1, open: 0 });
    await expect(reader.read()).rejects.toThrow("taken nothing for 30 seconds");
  });

  const RATE = RESPONSE_SLICE_BYTES;

  /** Reads at a constant rate. Returns the bytes, and the reason why they are not all. */
  async function readAt(bytesPerSecond: number, { state, streams, open }: ReturnType<typeof opened>) {
    const reader = open().getReader();
    let bytes = 0;
    try {
      for (let next = await reader.read(); !next.done; next = await reader.read()) {
        bytes += next.value.length;
        state.monotonicMs += (next.value.length / bytesPerSecond) * 1_000;
        streams.endOverdue();
      }
      return { bytes, reason: null };
    } catch (error) {
      return { bytes, reason: (error as Error).message };
    }
  }

  it("is not aborted while it is read at the slowest allowed rate, however long it takes, nor within the grace period", async () => {
    expect(await readAt(RATE, opened({ chunks: 200 }))).toEqual({ bytes: 200 * CHUNK_BYTES, reason: null });
    expect(await readAt(RATE / 4, opened())).toEqual({ bytes: 2 * CHUNK_BYTES, reason: null });
  });

  it("is aborted if it is read more slowly on average, even if it never stalls", async () => {
    const made = opened({ chunks: 200 });
    const { bytes, reason } = await readAt(RATE / 2, made);
    expect(reason).toBe("The client has taken less than 32 KiB per second");
    // In a grace of 30 seconds, half of the rate falls behind by as much as is read in 30 seconds.
    expect(Math.abs(bytes - (RATE * RESPONSE_GRACE_MS) / 1_000)).toBeLessThanOrEqual(RESPONSE_SLICE_BYTES);
    expect(made.state.ended).toBe(1);
  });

  it("is aborted by the rate from then on if another client waits for it, after a grace period of its own", async () => {
    const made = opened({ chunks: 200 });
    const reader = made.open().getReader();
    /** Reads at the lowest rate while nobody waits. */
    const readFor = async (seconds: number) => {
      for (let read = 0; read < seconds * RATE;) {
        const { value = new Uint8Array(0) } = await reader.read();
        read += value.length;
        made.state.monotonicMs += (value.length / RATE) * 1_000;
        made.streams.endOverdue();
      }
    };
    await readFor(100);
    // Of 40 seconds, a quarter counts as read at four times the rate, and 30 are the grace.
    for (const wantedSinceMs of [made.state.monotonicMs, null, made.state.monotonicMs + 1]) {
      made.state.wantedSinceMs = wantedSinceMs;
      made.streams.endOverdue();
      await readFor(40);
      expect(made.state.ended).toBe(0);
    }
    await expect(readFor(2)).rejects.toThrow("less than 128 KiB per second");
  });

  it("is not charged for the time that writing takes", async () => {
    expect(await readAt(RATE, opened({ chunks: 20, writingMs: RESPONSE_GRACE_MS }))).toEqual({ bytes: 20 * CHUNK_BYTES, reason: null });
  });

  it("is aborted after the time limit, not before, if nothing was ever read", async () => {
    const { state, streams, open } = opened();
    open();
    state.monotonicMs += RESPONSE_STALL_MS - 1;
    streams.endOverdue();
    expect(state.ended).toBe(0);
    state.monotonicMs += 1;
    streams.endOverdue();
    expect(state.ended).toBe(1);
  });

  it.each<[string, (made: ReturnType<typeof opened>) => Promise<unknown>]>([
    ["all of it is taken", async ({ open }) => readAll(open().getReader())],
    ["it is given up before any of it is read", async ({ open }) => open().cancel()],
    [
      "it is aborted midway",
      async ({ open }) => {
        const reader = open().getReader();
        await reader.read();
        await reader.cancel();
      },
    ],
    [
      "the client disconnects before reading any of it",
      async ({ open, client }) => {
        const stream = open();
        client.abort(new Error("gone"));
        await expect(readAll(stream.getReader())).rejects.toThrow("gone");
      },
    ],
    [
      "the client disconnects midway",
      async ({ open, client }) => {
        const reader = open().getReader();
        await reader.read();
        client.abort(new Error("gone"));
        await expect(readAll(reader)).rejects.toThrow("gone");
      },
    ],
    [
      "the client disconnects while a part is written",
      async ({ open, client }) => {
        const reader = open().getReader();
        const read = reader.read();
        client.abort(new Error("gone"));
        await expect(read).rejects.toThrow("gone");
      },
    ],
    [
      "the client disconnected before it began",
      async ({ open, client }) => {
        client.abort(new Error("gone"));
        await expect(readAll(open().getReader())).rejects.toThrow("gone");
      },
    ],
    [
      "it stalls",
      async ({ open, streams, state }) => {
        open();
        state.monotonicMs += RESPONSE_STALL_MS;
        streams.endOverdue();
      },
    ],
  ])("releases its memory exactly once when %s", async (_way, end) => {
    const made = opened();
    await end(made);
    expect({ ended: made.state.ended, open: made.streams.count }).toEqual({ ended: 1, open: 0 });
    made.client.abort();
    made.state.monotonicMs += 10 * RESPONSE_STALL_MS;
    made.streams.endOverdue();
    expect(made.state.ended).toBe(1);
  });

  it("is aborted with an error once its client may not read on, which is checked once at a time", async () => {
    const { state, streams, open } = opened();
    const answers: Deferred<boolean>[] = [];
    const reader = open(() => {
      const answer = createDeferred<boolean>();
      answers.push(answer);
      return answer.promise;
    }).getReader();
    await reader.read();
    for (const answer of [() => answers[0]?.resolve(true), () => answers[1]?.reject(new Error("no answer"))]) {
      streams.endOverdue();
      streams.endOverdue();
      answer();
      await nextTurn();
      expect(state.ended).toBe(0);
    }
    await reader.read();
    streams.endOverdue();
    answers[2]?.resolve(false);
    await expect(reader.closed).rejects.toThrow("no longer shared");
    expect({ asked: answers.length, ended: state.ended, open: streams.count }).toEqual({ asked: 3, ended: 1, open: 0 });
  });

  it("ends with an error if writing fails, and the log gives the reason", async () => {
    const { state, streams, log, open } = opened({ chunks: 3, failsAt: 1 });
    const reader = open().getReader();
    await expect(readAll(reader)).rejects.toThrow("no more");
    expect({ ended: state.ended, open: streams.count }).toEqual({ ended: 1, open: 0 });
    expect(JSON.stringify(log)).toContain("no more");
  });
});
