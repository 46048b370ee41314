/** Local users that tests log in as. Created once; the password is specific to this machine and never changes. */
import { randomBytes } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { withLock } from "./lock.ts";
import { run } from "./run.ts";

export interface TestUser {
  readonly name: string;
  readonly password: string;
}

/** Readable by root only; it exists as long as the users. */
const folder = "/var/lib/patchbay-testbed";

export interface UserOptions {
  readonly shell: string;
  readonly groups?: readonly string[];
}

export function ensureUser(name: string, { shell, groups = [] }: UserOptions): TestUser {
  return withLock("users", () => {
    const password = passwordOf(name);
    if (run(["id", name]).status !== 0) {
      run(["useradd", "--create-home", "--shell", shell, name], { mustSucceed: true });
    } else {
      run(["usermod", "--shell", shell, name], { mustSucceed: true });
    }
    if (groups.length > 0)
      run(["usermod", "--append", "--groups", groups.join(","), name], { mustSucceed: true });
    run(["chpasswd"], { input: `${name}:${password}\n`, mustSucceed: true });
    return { name, password };
  });
}

function passwordOf(name: string): string {
  const file = join(folder, `${name}.password`);
  if (existsSync(file)) return readFileSync(file, "utf8");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  chmodSync(folder, 0o700);
  const password = randomBytes(12).toString("base64url");
  writeFileSync(file, password, { mode: 0o600 });
  return password;
}
