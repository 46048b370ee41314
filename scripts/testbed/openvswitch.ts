/** Open vSwitch without a kernel: its database and its daemon, beside an sshd whose user may be let in to the database. */
import { join } from "node:path";
import { behindSshd, linuxUser, type Sshd, startSshd } from "./openssh.ts";
import { launchProcess, makeFolder, type Running } from "./process.ts";
import { run } from "./run.ts";

export interface OpenVSwitch extends Sshd {
  /** Runs `ovs-vsctl` directly, bypassing the path under test. @throws with its words if it fails */
  vsctl(...args: string[]): string;
  /** Who may talk to the database: the user of sshd, or root alone. */
  admit(user: boolean): void;
}

const schema = "/usr/share/openvswitch/vswitch.ovsschema";

export async function startOpenVSwitch(): Promise<OpenVSwitch> {
  const folder = makeFolder("ovs");
  const inFolder = (name: string) => join(folder.path, name);
  const socket = inFolder("db.sock");
  const running: Running[] = [];
  const stopSwitch = async () => {
    for (const one of running.reverse()) await one.stop();
    folder.remove();
  };
  const env = { OVS_RUNDIR: folder.path, OVS_DBDIR: folder.path, OVS_LOGDIR: folder.path };
  const start = async (program: string, args: readonly string[], said: RegExp) => {
    const log = ["-vconsole:info", `--unixctl=${inFolder(`${program}.ctl`)}`];
    const one = launchProcess({ command: [`/usr/sbin/${program}`, ...args, ...log], env });
    running.push(one);
    await one.said(said, 10_000);
  };
  const vsctl = (...args: string[]) =>
    run(["/usr/bin/ovs-vsctl", `--db=unix:${socket}`, "--timeout=20", ...args], { mustSucceed: true }).stdout;
  const admit = (user: boolean) => {
    run(["chgrp", user ? linuxUser().name : "root", socket], { mustSucceed: true });
    run(["chmod", "770", socket], { mustSucceed: true });
  };
  return behindSshd(stopSwitch, async () => {
    run(["ovsdb-tool", "create", inFolder("conf.db"), schema], { mustSucceed: true });
    await start("ovsdb-server", [inFolder("conf.db"), `--remote=punix:${socket}`], /ovsdb-server \(Open/);
    vsctl("--no-wait", "init");
    await start(
      "ovs-vswitchd",
      [`unix:${socket}`, "--enable-dummy=override", "--disable-system"],
      /ovs-vswitchd \(Open/,
    );
    admit(true);
    const sshd = await startSshd({ config: [`SetEnv OVS_RUNDIR=${folder.path}`] });
    return {
      ...sshd,
      vsctl,
      admit,
    };
  });
}
