/**
 * The contenders: the driver alone, the whole service, Debian's paramiko, OpenSSH's ssh; each reports wall
 * time and CPU time.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import plugin from "../../../plugins/drivers/paramiko/plugin.ts";
import { startService } from "../../../src/testkit/service.ts";
import { bounded, timed } from "../cli/rows.ts";
import { driverInProcess, valid } from "../in-process.ts";

export interface Work {
  readonly user: string;
  readonly keyFile: string;
  readonly atOnce: number;
  readonly hosts: readonly { readonly host: string; readonly port: number }[];
  readonly commands: readonly string[];
}

export interface Figures {
  readonly wall_ms: number;
  readonly cpu_ms: number;
}

const connectionOf = ({ user, keyFile }: Work) => ({
  username: user,
  pkey: readFileSync(keyFile, "utf8"),
  look_for_keys: false,
});

/** In this process, without jobs, queue or HTTP. */
export async function byDriver(work: Work): Promise<Figures> {
  const open = driverInProcess(plugin);
  const args = await valid(plugin.args.query, {});
  const before = process.cpuUsage();
  const wall_ms = await timed(() =>
    bounded(work.hosts.length, work.atOnce, async (at) => {
      const { session, ctx } = await open({ ...connectionOf(work), ...hostAt(work, at) });
      const outputs = (await session.queryAll?.(work.commands, args, ctx)) ?? [];
      for (const { output } of outputs) requireSuccess(output);
      await session.close?.();
    }),
  );
  const { user, system } = process.cpuUsage(before);
  return { wall_ms, cpu_ms: (user + system) / 1000 };
}

/** As one bulk: from 201 to the last result, each job written to disk. */
export async function byService(work: Work): Promise<Figures> {
  const service = await startService({
    env: { PATCHBAY_LOG_LEVEL: "error", PATCHBAY_SLOTS: String(work.atOnce) },
  });
  async function bulk(hosts: Work["hosts"]): Promise<void> {
    const body = {
      driver: "paramiko",
      connection_args: connectionOf(work),
      devices: hosts,
      command: work.commands,
    };
    const answer = await service.call<{ succeeded: { status: string }[] }>("POST", "/device/bulk", body, {
      Prefer: "wait=300",
    });
    const finished = answer.body.data.succeeded.filter(({ status }) => status === "finished").length;
    if (finished !== hosts.length) throw new Error(`${finished} of ${hosts.length} jobs finished`);
  }
  try {
    // Warm-up.
    await bulk(work.hosts);
    const before = cpuOf(service.child.pid);
    const wall_ms = await timed(() => bulk(work.hosts));
    return { wall_ms, cpu_ms: cpuOf(service.child.pid) - before };
  } finally {
    await service.stop();
  }
}

export async function byParamiko(work: Work): Promise<Figures> {
  const { user, keyFile, atOnce, hosts, commands } = work;
  const given = JSON.stringify([user, keyFile, atOnce, hosts, commands]);
  const child = Bun.spawn(["/usr/bin/python3", "scripts/bench/exec/paramiko_rows.py", given], {
    stdout: "pipe",
    stderr: "inherit",
  });
  const text = await new Response(child.stdout).text();
  if ((await child.exited) !== 0) throw new Error("paramiko failed");
  return JSON.parse(text) as Figures;
}

export async function bySsh(work: Work): Promise<Figures> {
  const folder = mkdtempSync(join(tmpdir(), "bench-exec-"));
  let cpuMs = 0;
  const wall_ms = await timed(() =>
    bounded(work.hosts.length, work.atOnce, async (at) => {
      const { user, keyFile, commands } = work;
      const { host, port } = hostAt(work, at);
      const where = [join(folder, `${at}`), String(port), user, keyFile, host];
      const child = Bun.spawn(["sh", "scripts/bench/exec/control-master.sh", ...where, ...commands], {
        stdout: "ignore",
        stderr: "inherit",
      });
      if ((await child.exited) !== 0) throw new Error("ssh failed");
      // CPU time of the shell and its children.
      cpuMs += Number(child.resourceUsage()?.cpuTime.total ?? 0) / 1000;
    }),
  );
  rmSync(folder, { recursive: true, force: true });
  return { wall_ms, cpu_ms: cpuMs };
}

function hostAt({ hosts }: Work, at: number) {
  const found = hosts[at];
  if (found === undefined) throw new Error(`there is no server ${at}`);
  return found;
}

function requireSuccess(output: unknown): void {
  const isFine =
    typeof output === "object" && output !== null && "exit_status" in output && output.exit_status === 0;
  if (!isFine) throw new Error(`a command failed: ${JSON.stringify(output)}`);
}

/** CPU time of all threads in milliseconds; 100 ticks per second. */
function cpuOf(pid: number | undefined): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /, "")
    .split(" ");
  return (Number(stat[11]) + Number(stat[12])) * 10;
}
