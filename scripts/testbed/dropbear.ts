/** busybox ash over dropbear, the shell and SSH server of small Linux devices. No SFTP; SCP only if installed. */
import { chmodSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { withLock } from "./lock.ts";
import { makeFolder, startServer } from "./process.ts";
import { run } from "./run.ts";
import { ensureUser } from "./users.ts";

export interface Dropbear {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  log(): string;
  stop(): Promise<void>;
}

/** busybox selects the applet by its name, so a login shell needs a link of that name. */
const shell = "/usr/local/lib/patchbay-testbed/ash";

export interface DropbearOptions {
  /** Key types of dropbearkey; default ed25519. */
  readonly hostKeys?: readonly string[];
  /** Lines of the user's `authorized_keys`. */
  readonly authorizedKeys?: readonly string[];
}

export async function startDropbear(options: DropbearOptions = {}): Promise<Dropbear> {
  withLock("ash", () => {
    mkdirSync(dirname(shell), { recursive: true });
    if (!existsSync(shell)) symlinkSync("/usr/bin/busybox", shell);
    // dropbear rejects users whose shell is not in /etc/shells.
    run(["add-shell", shell], { mustSucceed: true });
  });
  const { name, password } = ensureUser("patchbay-ash", { shell });
  const profile = join("/home", name, ".profile");
  writeFileSync(profile, "PS1='\\u@device:\\w\\$ '\n");
  chmodSync(profile, 0o644);
  const folder = makeFolder("dropbear");
  const keys = (options.hostKeys ?? ["ed25519"]).map((type) => {
    const path = join(folder.path, `host_key_${type}`);
    run(["dropbearkey", "-t", type, "-f", path], { mustSucceed: true });
    return path;
  });
  if (options.authorizedKeys !== undefined) authorize(name, options.authorizedKeys);
  const running = await startServer((port) => ({
    command: [
      "/usr/sbin/dropbear",
      "-F",
      "-E",
      ...keys.flatMap((key) => ["-r", key]),
      "-p",
      `127.0.0.1:${port}`,
      "-P",
      join(folder.path, "pid"),
    ],
  }));
  return {
    host: "127.0.0.1",
    port: running.port,
    user: name,
    password,
    log: running.log,
    async stop() {
      await running.stop();
      folder.remove();
    },
  };
}

/** dropbear only reads this file in the user's home. */
function authorize(user: string, lines: readonly string[]): void {
  const folder = join("/home", user, ".ssh");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "authorized_keys"), `${lines.join("\n")}\n`, { mode: 0o600 });
  run(["chown", "-R", `${user}:`, folder], { mustSucceed: true });
  chmodSync(folder, 0o700);
}
