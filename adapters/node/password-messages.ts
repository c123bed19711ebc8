/** What the server's thread and the thread of passwords say to each other. */
import type { PasswordHasher } from "../../src/runtime/auth/password-hasher.ts";

export type PasswordCall =
  | { readonly kind: "hash"; readonly args: Parameters<PasswordHasher["hash"]> }
  | { readonly kind: "verify"; readonly args: Parameters<PasswordHasher["verify"]> };

export type PasswordRequest = { readonly id: number } & PasswordCall;

export type PasswordReply =
  | { readonly id: number; readonly result: string | boolean }
  | { readonly id: number; readonly error: string };
