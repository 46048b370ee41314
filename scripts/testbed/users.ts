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

/** The usual one takes 25 ms of CPU time for each login and each sudo; these passwords are random. */
const quickHash = ["--crypt-method", "SHA256", "--sha-rounds", "1000"];

export interface UserOptions {
  readonly shell: string;
  readonly groups?: readonly string[];
}

export function ensureUser(name: string, { shell, groups = [] }: UserOptions): TestUser {
  return withLock("users", () => {
    const password = passwordOf(name);
    const done = join(folder, `${name}.done`);
    const wanted = () => JSON.stringify({ password, shell, groups, entries: entriesOf(name) });
    // Each of the programs below rewrites a file of the system, and a password takes long to hash on purpose.
    if (existsSync(done) && readFileSync(done, "utf8") === wanted()) return { name, password };
    if (run(["id", name]).status !== 0) {
      run(["useradd", "--create-home", "--shell", shell, name], { mustSucceed: true });
    } else {
      run(["usermod", "--shell", shell, name], { mustSucceed: true });
    }
    if (groups.length > 0)
      run(["usermod", "--append", "--groups", groups.join(","), name], { mustSucceed: true });
    run(["chpasswd", ...quickHash], { input: `${name}:${password}\n`, mustSucceed: true });
    writeFileSync(done, wanted(), { mode: 0o600 });
    return { name, password };
  });
}

/** What the system says of a user: shell, groups, and the hash of the password. */
function entriesOf(name: string): string {
  const isOf = new RegExp(`^${RegExp.escape(name)}:|[:,]${RegExp.escape(name)}(?:,|$)`);
  return ["passwd", "group", "shadow"]
    .flatMap((file) =>
      readFileSync(join("/etc", file), "utf8")
        .split("\n")
        .filter((line) => isOf.test(line)),
    )
    .join("\n");
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
