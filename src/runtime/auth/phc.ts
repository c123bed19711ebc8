/** How an Argon2id hash is written as text: the PHC string format. */

export interface Argon2idHash {
  readonly memoryKib: number;
  readonly iterations: number;
  readonly parallelism: number;
  readonly salt: Uint8Array;
  readonly hash: Uint8Array;
}

/** Costs have few digits, so that a text that somebody meddled with cannot ask for all memory and hours of work. */
const PHC = /^\$argon2id\$v=19\$m=(\d{1,6}),t=(\d{1,2}),p=(\d)\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{22,86})$/;

/** null when there is nothing that base64 could mean by the text. */
function bytesOf(base64: string): Uint8Array | null {
  if (base64.length % 4 === 1) return null;
  return Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
}

/** null when the text is no Argon2id hash. */
export function parsePhc(text: string): Argon2idHash | null {
  const [, memory, iterations, parallelism, saltText, hashText] = PHC.exec(text) ?? [];
  const salt = bytesOf(saltText ?? "");
  const hash = bytesOf(hashText ?? "");
  if (!memory || !iterations || !parallelism || !salt || !hash) return null;
  return { memoryKib: Number(memory), iterations: Number(iterations), parallelism: Number(parallelism), salt, hash };
}
