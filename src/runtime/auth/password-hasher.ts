/** The port to whatever makes and checks password hashes. It takes its time, which no other request should have to wait for. */
export interface PasswordHasher {
  /** The password's hash under a fresh salt, in PHC form: `$argon2id$v=19$m=…,t=…,p=…$salt$hash`. */
  hash(password: string): Promise<string>;
  /** Whether the hash is this password's. Rejects when the text is no hash (see `parsePhc`). */
  verify(password: string, phc: string): Promise<boolean>;
}
