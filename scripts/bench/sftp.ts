/**
 * `bun run bench:sftp`: 200 MB and 2,000 small files up and down, each including the login, to a real sshd on
 * this machine: the transfers of the paramiko driver, `sftp` and `scp` of OpenSSH, and Debian's
 * python3-paramiko. Prints JSON, one run; the clients alternate. `--quick` runs each once.
 */
import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { ServiceError } from "../../src/base/errors.ts";
import { secret } from "../../src/base/secrets/secret.ts";
import { createDeadline } from "../../src/base/time/deadline.ts";
import { createSsh } from "../../src/device/ssh/connect.ts";
import type { TransferOptions } from "../../src/plugin/kit/ssh.ts";
import { startSshd } from "../testbed/openssh.ts";
import { run } from "../testbed/run.ts";
import { measureScp, measureSftp } from "./sftp/openssh.ts";
import { type Bed, medianOf, perSecond, type Rows, type Spent, timesAsFast } from "./sftp/rows.ts";

/** Debian's, regardless of PATH. */
const python = "/usr/bin/python3";
const largeBytes = 200_000_000;
const folders = 20;
const filesOfOne = 100;
const rounds = process.argv.includes("--quick") ? 1 : 3;

// Compare the clients: a RAM disk excludes the disk and its other users.
const memory = "/dev/shm";
if (existsSync(memory)) process.env.TMPDIR = memory;
const work = mkdtempSync(join(tmpdir(), "bench-sftp-"));
writeFileSync(join(work, "large"), randomBytes(largeBytes));
for (let folder = 0; folder < folders; folder++) {
  mkdirSync(join(work, "small", `folder-${folder}`), { recursive: true });
  for (let file = 0; file < filesOfOne; file++)
    writeFileSync(join(work, "small", `folder-${folder}`, `file-${file}`), randomBytes(256 + file * 80));
}
const key = join(work, "key");
run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key], { mustSucceed: true });
const sshd = await startSshd({ authorizedKeys: [readFileSync(`${key}.pub`, "utf8").trim()] });
const { host, port, user } = sshd;
const bed: Bed = { host, port, user, login: `${user}@${host}`, key, work, remote: sshd.folder };

try {
  const clients: Record<string, () => Rows | Promise<Rows>> = {
    patchbay: () => measureOurs({ atomic: true, verify: true }),
    patchbay_unverified: () => measureOurs({ atomic: true }),
    sftp: () => measureSftp(bed, "sftp"),
    sftp_aes_gcm: () => measureSftp(bed, "gcm", "aes128-gcm@openssh.com"),
    scp: () => measureScp(bed, "scp"),
    ...(paramikoVersion() === undefined ? {} : { paramiko: measureParamiko }),
  };
  const runs = Object.fromEntries(Object.keys(clients).map((name): [string, Rows[]] => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const [name, measure] of Object.entries(clients)) {
      runs[name]?.push(await measure());
      clean();
    }
  }
  const rows = Object.fromEntries(Object.entries(runs).map(([name, all]) => [name, medianOf(all)]));
  const { patchbay, patchbay_unverified: unverified = patchbay, ...others } = rows;
  const compared = (ours: Rows | undefined) =>
    ours &&
    Object.fromEntries(Object.entries(others).map(([name, theirs]) => [name, timesAsFast(ours, theirs)]));
  const files = folders * filesOfOne;
  const figures = {
    bench: "sftp",
    rounds,
    folder: work,
    moved: { large: `${largeBytes / 1e6} MB`, small: `${files} files in ${folders} folders` },
    versions: {
      openssh: spawnSync("ssh", ["-V"], { encoding: "utf8" }).stderr.trim(),
      paramiko: paramikoVersion() ?? "not installed: apt-get install python3-paramiko",
    },
    seconds: rows,
    rates: Object.fromEntries(
      Object.entries(rows).map(([name, one]) => [name, perSecond(one, largeBytes, files)]),
    ),
    patchbay_is_times_as_fast_as: compared(patchbay),
    patchbay_unverified_is_times_as_fast_as: compared(unverified),
  };
  console.log(JSON.stringify(figures, null, 2));
} finally {
  await sshd.stop();
  rmSync(work, { recursive: true, force: true });
}

/** As the driver does: atomic writes, fsync, hash verification. */
async function measureOurs(how: Partial<TransferOptions>): Promise<Rows> {
  const move = (direction: "upload" | "download", local: string, remote: string, recursive = false) =>
    timed(async () => {
      const limit = createDeadline(600_000, () => new ServiceError("JobTimeout", "The bench took too long"));
      const connection = await createSsh({ hostKeys: { knownKeys: () => [], learn() {} } }).connect(
        {
          ...{ host, port, username: user, connectTimeoutMs: 20_000 },
          ...{ profile: "modern", hostKeyPolicy: "auto_add" },
          keys: [{ pem: secret(readFileSync(key, "utf8")), label: "key" }],
        },
        limit,
      );
      const localPath = join(work, local);
      const remotePath = join(bed.remote, remote);
      await connection[direction]({ ...how, localPath, remotePath, recursive, by: "sftp" }, limit);
      await connection.close();
      limit.dispose();
    });
  return {
    large_up: await move("upload", "large", "ours-large"),
    large_down: await move("download", "ours-large", "ours-large"),
    small_up: await move("upload", "small", "ours-small", true),
    small_down: await move("download", "ours-small", "ours-small", true),
  };
}

async function timed(work: () => Promise<void>): Promise<Spent> {
  const cpu = process.cpuUsage();
  const startedAt = performance.now();
  await work();
  const seconds = (performance.now() - startedAt) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  return { seconds, cpu_seconds: (user + system) / 1e6 };
}

function measureParamiko(): Rows {
  const script = "scripts/bench/sftp/rows_paramiko.py";
  const ended = spawnSync(python, [script, host, String(port), user, key, work, bed.remote], {
    encoding: "utf8",
  });
  if (ended.status !== 0) throw new Error(`python3-paramiko: ${ended.stderr}`);
  const { version: _, ...rows } = JSON.parse(ended.stdout) as Rows & { version: string };
  return rows;
}

function paramikoVersion(): string | undefined {
  const asked = spawnSync(python, ["-c", "import paramiko; print(paramiko.__version__)"], {
    encoding: "utf8",
  });
  return asked.status === 0 ? asked.stdout.trim() : undefined;
}

/** Removes the targets before each run. */
function clean(): void {
  for (const name of ["ours", "sftp", "gcm", "scp", "paramiko"])
    for (const what of ["large", "small"])
      for (const folder of [work, bed.remote])
        rmSync(join(folder, `${name}-${what}`), { recursive: true, force: true });
}
