/** `sftp` and `scp` of OpenSSH: each transfer in its own process including the login, as people run them. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import type { Bed, Rows, Spent } from "./rows.ts";

/** @param cipher default: as negotiated. */
export function measureSftp(bed: Bed, name: string, cipher?: string): Rows {
  const batch = (line: string) =>
    timed(["sftp", "-q", ...optionsOf(bed, "-P", cipher), "-b", "-", bed.login], line);
  const remote = (what: string) => join(bed.remote, `${name}-${what}`);
  const local = (what: string) => join(bed.work, `${name}-${what}`);
  return {
    large_up: batch(`put ${join(bed.work, "large")} ${remote("large")}\n`),
    large_down: batch(`get ${remote("large")} ${local("large")}\n`),
    small_up: batch(
      `mkdir ${remote("small")}\nput -r ${join(bed.work, "small")} ${bed.remote}/${name}-small\n`,
    ),
    small_down: batch(`get -r ${remote("small")} ${local("small")}\n`),
  };
}

export function measureScp(bed: Bed, name: string): Rows {
  const copy = (...paths: string[]) => timed(["scp", "-q", "-r", ...optionsOf(bed, "-P"), ...paths], "");
  const remote = (what: string) => `${bed.login}:${join(bed.remote, `${name}-${what}`)}`;
  const local = (what: string) => join(bed.work, `${name}-${what}`);
  return {
    large_up: copy(join(bed.work, "large"), remote("large")),
    large_down: copy(remote("large"), local("large")),
    small_up: copy(join(bed.work, "small"), remote("small")),
    small_down: copy(remote("small"), local("small")),
  };
}

function optionsOf({ key, port }: Bed, portFlag: string, cipher?: string): string[] {
  const settings = [
    "StrictHostKeyChecking=no",
    "UserKnownHostsFile=/dev/null",
    "LogLevel=ERROR",
    "BatchMode=yes",
  ];
  return [
    ...["-F", "none", "-i", key, portFlag, String(port)],
    ...(cipher === undefined ? [] : ["-c", cipher]),
    ...settings.flatMap((setting) => ["-o", setting]),
  ];
}

/** CPU time of the process and its `ssh` child, as reported by bash. */
function timed(command: readonly string[], input: string): Spent {
  const line = 'TIMEFORMAT="%R %U %S"; time "$@"';
  const ended = spawnSync("bash", ["-c", line, "bash", ...command], { input, encoding: "utf8" });
  const [seconds = 0, user = 0, system = 0] = (ended.stderr.trim().split("\n").at(-1) ?? "")
    .split(" ")
    .map(Number);
  if (ended.status !== 0) throw new Error(`${command.join(" ")} ended with ${ended.status}: ${ended.stderr}`);
  return { seconds, cpu_seconds: user + system };
}
