/** A TCP connection on which a test can write anything, including invalid HTTP. */
import { connect } from "node:net";

export interface RawConnection {
  /** Writes text or bytes. `\n` in text is sent as CR LF. */
  write(data: string | Uint8Array): void;
  /** Resolves with everything received once it matches. Rejects if the connection ends before. */
  until(pattern: RegExp): Promise<string>;
  /** Resolves with everything received once the peer has closed. */
  closed(): Promise<string>;
  destroy(): void;
}

export function connectRaw(origin: string): RawConnection {
  const { hostname, port } = new URL(origin);
  const socket = connect(Number(port), hostname);
  let received = "";
  const closed = new Promise<string>((resolve) => socket.once("close", () => resolve(received)));
  socket.on("data", (chunk: Buffer) => {
    received += chunk.toString("latin1");
  });
  socket.on("error", () => {
    // The close event that follows settles the waiting promises.
  });
  return {
    write(data) {
      socket.write(typeof data === "string" ? data.replaceAll("\n", "\r\n") : data);
    },
    until: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (!pattern.test(received)) return;
          socket.off("data", look);
          resolve(received);
        };
        socket.on("data", look);
        void closed.then(() => reject(new Error(`the connection ended before ${pattern.source} came:\n${received}`)));
        look();
      }),
    closed: () => closed,
    destroy: () => socket.destroy(),
  };
}
