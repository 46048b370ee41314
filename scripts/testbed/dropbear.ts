/** busybox ash over dropbear: the shell and the SSH server of small Linux devices. No SFTP, SCP only where it is installed. */
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

/** A login shell needs a name of its own: busybox goes by the name it is called by. */
const shell = "/usr/local/lib/patchbay-testbed/ash";

export async function startDropbear(): Promise<Dropbear> {
  withLock("ash", () => {
    mkdirSync(dirname(shell), { recursive: true });
    if (!existsSync(shell)) symlinkSync("/usr/bin/busybox", shell);
    // dropbear lets nobody in whose shell is not in /etc/shells.
    run(["add-shell", shell], { mustSucceed: true });
  });
  const { name, password } = ensureUser("patchbay-ash", { shell });
  const profile = join("/home", name, ".profile");
  writeFileSync(profile, "PS1='\\u@device:\\w\\$ '\n");
  chmodSync(profile, 0o644);
  const folder = makeFolder("dropbear");
  const key = join(folder.path, "host_key");
  run(["dropbearkey", "-t", "ed25519", "-f", key], { mustSucceed: true });
  const running = await startServer((port) => ({
    command: [
      "/usr/sbin/dropbear",
      "-F",
      "-E",
      "-r",
      key,
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
