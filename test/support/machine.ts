/** An isolated environment for commands that change the system: mounts over /etc, /run, /usr and /var/lib. */
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { appendFileSync, chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import process from "node:process";
import { withLock } from "../../scripts/testbed/lock.ts";
import { tempFolder } from "../../src/testkit/service.ts";

export interface Machine {
  /** Path of the same file from outside. */
  path(path: string): string;
  read(path: string): string;
  /** Runs a program inside as root. */
  run(...command: string[]): { status: number | null; text: string };
  /** nsenter arguments that enter it. */
  readonly within: readonly string[];
  /** Calls of its systemctl. */
  calls(): string[];
  stop(): Promise<void>;
}

/** Other test files create users and sudo rules in parallel, so files may come and go. */
function copyEtc(to: string): void {
  const copy = () => execFileSync("cp", ["-a", "/etc", to]);
  withLock("users", () => withLock("sudo", () => withLock("vtysh-login", copy)));
}

export async function startMachine(): Promise<Machine> {
  const folder = tempFolder("patchbay-machine-");
  chmodSync(folder, 0o755);
  const at = (name: string) => join(folder, name);
  const folders = ["run/systemd/system", "run/fake-systemd", "bin", "tools", "over"];
  // dpkg knows no packages inside.
  for (const name of [...folders, "lib/dpkg/info", "lib/dpkg/updates", "lib/dpkg/triggers"])
    mkdirSync(at(name), { recursive: true });
  copyEtc(at("etc"));
  execFileSync("sed", [
    "-i",
    "/^patchbay:/d",
    ...["passwd", "group", "shadow"].map((name) => at(`etc/${name}`)),
  ]);
  // A random uid: an account still used by another test could not be removed here.
  const highest = randomInt(400, 900);
  appendFileSync(at("etc/login.defs"), `\nSYS_UID_MAX ${highest}\nSYS_GID_MAX ${highest}\n`);
  chmodSync(at("run/fake-systemd"), 0o777);
  const systemctl = `#!/bin/sh\nexec ${process.execPath} ${resolve("test/support/systemctl.ts")} "$@"\n`;
  writeFileSync(at("tools/systemctl"), systemctl, { mode: 0o755 });
  writeFileSync(at("lib/dpkg/status"), "");
  const over = [
    `mount -t tmpfs tmpfs ${at("over")}`,
    `mkdir ${at("over/upper")} ${at("over/work")}`,
    `mount -t overlay overlay -o lowerdir=/usr,upperdir=${at("over/upper")},workdir=${at("over/work")} /usr`,
  ];
  const mounts = [
    ["etc", "/etc"],
    ["run", "/run"],
    ["lib", "/var/lib"],
    ["bin", "/usr/local/bin"],
  ].map(([from = "", to]) => `mount --bind ${at(from)} ${to}`);
  const script = `${[...over, ...mounts].join(" && ")} && echo ready && exec cat`;
  const holder: ChildProcess = spawn("unshare", ["--mount", "--propagation", "private", "sh", "-c", script], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  if (holder.stdout === null) throw new Error("no output");
  await once(holder.stdout, "data");
  const within = ["--target", String(holder.pid), "--mount", "--wd=/"];
  const read = (path: string) => readFileSync(`/proc/${holder.pid}/root${path}`, "utf8");
  return {
    path: (path) => `/proc/${holder.pid}/root${path}`,
    read,
    run(...command) {
      const done = spawnSync("nsenter", [...within, ...command], {
        encoding: "utf8",
        env: { PATH: `${at("tools")}:/usr/sbin:/usr/bin:/sbin:/bin` },
      });
      return { status: done.status, text: `${done.stdout}${done.stderr}`.trim() };
    },
    within,
    calls: () => read("/run/fake-systemd/calls").trim().split("\n"),
    async stop() {
      const ended = once(holder, "exit");
      holder.stdin?.end();
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
