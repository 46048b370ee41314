/**
 * Debian's `rancid` on simulated switches, with one command for each and Git behind it: what a night costs it, and the
 * same night here. As root on Linux; its settings are mounted for its own processes only.
 */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { run as runOnce } from "../../testbed/run.ts";
import { ensureUser } from "../../testbed/users.ts";
import { startSimulated } from "./simulated.ts";
import { measureTakesOverSsh } from "./taken.ts";

const programs = "/usr/lib/rancid/bin";
/** Devices that it asks at the same time. */
const atOnce = 20;
const round = (value: number) => Math.round(value * 100) / 100;
const hostOf = (n: number) => `127.7.${n >> 7}.${(n & 127) + 1}`;

export async function measureRancid(devices: number): Promise<object> {
  if (process.getuid?.() !== 0 || !existsSync(`${programs}/rancid-run`))
    return { left_out: "needs root and the package rancid (3.13)" };
  const device = await startSimulated();
  const folder = mkdtempSync(join(tmpdir(), "bench-history-rancid-"));
  try {
    const rancid = prepare(folder, device.port);
    rancid("rancid-cvs");
    const hosts = Array.from({ length: devices }, (_, n) => hostOf(n));
    writeFileSync(join(folder, "base/lab/router.db"), hosts.map((host) => `${host};lab;up\n`).join(""));
    const first = rancid("rancid-run");
    const same = rancid("rancid-run");
    const configs = join(folder, "base/lab/configs");
    const read = readdirSync(configs).filter(
      (name) => name.startsWith("127.") && statSync(join(configs, name)).size > 1_000,
    );
    if (read.length !== devices) throw new Error(`rancid has read ${read.length} of ${devices} devices`);
    return { devices, at_once: atOnce, first, same, here: await measureTakesOverSsh(devices) };
  } finally {
    device.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

type Rancid = (program: string) => { readonly wall_s: number; readonly cpu_ms: number };

/** @returns runs one of its programs, as a user of its own, who it demands not to be root */
function prepare(folder: string, port: number): Rancid {
  const { name } = ensureUser("patchbay-rancid", { shell: "/bin/sh" });
  for (const path of ["etc", "home", "base", "base/logs"]) mkdirSync(join(folder, path));
  const write = (path: string, lines: readonly string[], mode = 0o644) => {
    writeFileSync(join(folder, path), lines.map((line) => `${line}\n`).join(""), { mode });
    chmodSync(join(folder, path), mode);
  };
  const base = join(folder, "base");
  write("etc/rancid.conf", [
    ...["TERM=network", "LC_COLLATE=POSIX", "PERL5LIB=/usr/share/perl5/rancid", "TMPDIR=/tmp"],
    ...[`BASEDIR=${base}`, `CVSROOT=${base}/git`, `LOGDIR=${base}/logs`, "RCSSYS=git", "SENDMAIL=/bin/true"],
    ...[`PATH=${programs}:/usr/bin:/bin`, `PAR_COUNT=${atOnce}`, "MAX_ROUNDS=1", "LIST_OF_GROUPS=lab"],
    ...["FILTER_PWDS=YES", "NOCOMMSTR=YES", "umask 027"],
    "export TERM LC_COLLATE PERL5LIB TMPDIR BASEDIR CVSROOT LOGDIR RCSSYS PATH PAR_COUNT MAX_ROUNDS",
    "export LIST_OF_GROUPS FILTER_PWDS NOCOMMSTR SENDMAIL",
  ]);
  // Its own type of these devices runs 60 commands: this one shows the configuration only, as a take does.
  write("etc/rancid.types.base", []);
  write("etc/rancid.types.conf", [
    ...["lab;script;rancid -t lab", "lab;login;clogin", "lab;module;ios", "lab;inloop;ios::inloop"],
    "lab;command;ios::WriteTerm;show running-config",
  ]);
  const options = "-o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR";
  write("ssh", ["#!/bin/sh", `exec ssh -p ${port} ${options} "$@" 2>/dev/null`], 0o755);
  write(
    "home/.cloginrc",
    [
      ...["add user * admin", "add password * {admin} {admin}", "add method * ssh", "add autoenable * 0"],
      `add sshcmd * ${folder}/ssh`,
    ],
    0o600,
  );
  chmodSync(folder, 0o755);
  const own = () => runOnce(["chown", "-R", name, folder], { mustSucceed: true });
  const mounted = 'mount --bind "$1/etc" /etc/rancid && shift && exec "$@"';
  const variables = [
    `HOME=${folder}/home`,
    `USER=${name}`,
    `LOGNAME=${name}`,
    `PATH=${programs}:/usr/bin:/bin`,
  ];
  return (program) => {
    own();
    const from = performance.now();
    const { success, resourceUsage, stdout, stderr } = Bun.spawnSync(
      [
        ...["unshare", "--mount", "sh", "-c", mounted, "sh", folder],
        ...["setpriv", "--reuid", name, "--regid", name, "--clear-groups", "env", "-i", ...variables],
        ...["GIT_AUTHOR_EMAIL=bench@localhost", "GIT_COMMITTER_EMAIL=bench@localhost", program],
      ],
      { stdout: "pipe", stderr: "pipe" },
    );
    if (!success) throw new Error(`${program}: ${stdout}${stderr}`);
    return {
      wall_s: round((performance.now() - from) / 1000),
      cpu_ms: Math.round(Number(resourceUsage.cpuTime.total) / 1000),
    };
  };
}
