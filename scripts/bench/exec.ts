/**
 * `bun run bench:exec`: 200 servers x 3 commands on real sshds on as many loopback addresses of this machine,
 * for the driver, the whole service, Debian's python3-paramiko and OpenSSH's ssh with ControlMaster. Prints
 * JSON, one run; needs root for sshd. Each logs in with the same key, 50 servers at a time; the CPU time is
 * the client's.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { type Sshd, startSshd } from "../testbed/openssh.ts";
import { run } from "../testbed/run.ts";
import { median, round } from "./cli/rows.ts";
import { byDriver, byParamiko, byService, bySsh, type Figures, type Work } from "./exec/contenders.ts";

const servers = Number(process.argv[2] ?? 200);
const rounds = 3;
const folder = mkdtempSync(join(tmpdir(), "bench-exec-"));
const keyFile = join(folder, "key");
run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", keyFile], { mustSucceed: true });
const authorizedKeys = [readFileSync(`${keyFile}.pub`, "utf8").trim()];
/** sshd listens on at most sixteen addresses; one is 127.0.0.1 for the start-up check. */
const addressesEach = 15;
const hosts: { host: string; port: number }[] = [];
const sshds: Sshd[] = [];
while (hosts.length < servers) {
  const count = Math.min(addressesEach, servers - hosts.length);
  const names = Array.from({ length: count }, (_, n) => `127.0.9.${hosts.length + n + 1}`);
  const sshd = await startSshd({ authorizedKeys, config: names.map((host) => `ListenAddress ${host}`) });
  sshds.push(sshd);
  hosts.push(...names.map((host) => ({ host, port: sshd.port })));
}
const commands = ["uname -a", "id -un", "cat /proc/loadavg"];
const work: Work = { user: sshds[0]?.user ?? "", keyFile, atOnce: 50, hosts, commands };
const contenders: Record<string, (work: Work) => Promise<Figures>> = {
  driver: byDriver,
  service: byService,
  paramiko: byParamiko,
  ssh_control_master: bySsh,
};

// Warm-up, as in a long-running process.
await byDriver({ ...work, hosts: hosts.slice(0, 10) });
const figures = new Map<string, Figures[]>();
for (let n = 0; n < rounds; n++) {
  for (const [name, contender] of Object.entries(contenders))
    figures.set(name, [...(figures.get(name) ?? []), await contender(work)]);
}
await Promise.all(sshds.map((sshd) => sshd.stop()));
rmSync(folder, { recursive: true, force: true });

const rows = Object.fromEntries(
  [...figures].map(([name, all]) => [
    name,
    {
      wall_ms: round(median(all.map(({ wall_ms }) => wall_ms))),
      cpu_ms: round(median(all.map(({ cpu_ms }) => cpu_ms))),
    },
  ]),
);
console.log(
  JSON.stringify(
    { bench: "exec", servers, commands: commands.length, at_once: work.atOnce, rounds, rows },
    null,
    2,
  ),
);
process.exit(0);
