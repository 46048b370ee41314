/** A real router's CLI: FRR daemons in their own network namespace, behind sshd with vtysh as login shell. */
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { withLock } from "./lock.ts";
import { addNetwork, type Network } from "./network.ts";
import { behindSshd, type Sshd, startSshd } from "./openssh.ts";
import { appears, launchProcess, makeFolder, type Running } from "./process.ts";
import { run } from "./run.ts";
import { ensureUser } from "./users.ts";

type FrrDaemon = "staticd" | "ospfd" | "bgpd" | "ripd" | "isisd";

export interface FrrOptions {
  readonly hostname?: string;
  /** Besides zebra; default staticd, which manages static routes. */
  readonly daemons?: readonly FrrDaemon[];
  /** The initial configuration. */
  readonly configuration?: readonly string[];
}

export interface Frr extends Sshd {
  readonly hostname: string;
  /** Network namespace of the daemons. */
  readonly network: string;
  /** The saved configuration on disk. */
  savedConfiguration(): string;
  /** Gives it another name; sessions that are open keep the old one, as vtysh does, and are ended. */
  rename(hostname: string): void;
  /** Stops a daemon, as a crash does; the others go on. */
  stopDaemon(daemon: FrrDaemon): Promise<void>;
  /** Starts it again, with what is saved for it. */
  startDaemon(daemon: FrrDaemon): Promise<void>;
  /** Another sshd, for a user who may not talk to the daemons. */
  stranger(): Promise<Sshd>;
  /** Runs commands on the router directly, bypassing the path under test. */
  vtysh(...commands: string[]): string;
  /** Sends configuration lines one by one, up to the first that is refused. */
  push(lines: readonly string[]): FrrPush;
  /** Has vtysh check lines as a file (`--dryrun`): their form and place, not what else is there. @returns numbers of refused ones */
  check(lines: readonly string[]): number[];
}

export interface FrrPush {
  /** How many were accepted; the next one, if there is one, was refused. */
  readonly accepted: number;
  /** What it said to the last line. */
  readonly words: string;
}

/** A login shell takes no arguments; sshd sets an environment variable that selects the router. */
const loginShell = "/usr/local/lib/patchbay-testbed/vtysh-login";
const loginShellText = `#!/bin/sh
exec /usr/bin/vtysh --vty_socket "$PATCHBAY_FRR/run" --config_dir "$PATCHBAY_FRR/etc" "$@"
`;

export async function startFrr(options: FrrOptions = {}): Promise<Frr> {
  const hostname = options.hostname ?? "R1";
  const user = vtyshUser();
  const folder = makeFolder("frr");
  const etc = join(folder.path, "etc");
  const sockets = join(folder.path, "run");
  for (const path of [etc, sockets]) mkdirSync(path);
  const name = (as: string) =>
    writeFileSync(join(etc, "vtysh.conf"), `service integrated-vtysh-config\nhostname ${as}\n`);
  name(hostname);
  writeFileSync(
    join(etc, "frr.conf"),
    `${["frr defaults traditional", ...(options.configuration ?? [])].join("\n")}\n`,
  );
  run(["chown", "-R", "frr:frrvty", etc, sockets], { mustSucceed: true });
  run(["chmod", "-R", "u=rwX,g=rwXs,o=rX", etc, sockets], { mustSucceed: true });
  chmodSync(folder.path, 0o755);

  const network = addNetwork();
  const daemons = new Map<string, Running>();
  const startDaemon = async (daemon: string) => {
    const running = launchProcess({ command: daemonCommand(daemon, network, hostname, sockets) });
    daemons.set(daemon, running);
    await appears(join(sockets, `${daemon}.vty`), running);
  };
  const stopRouter = async () => {
    for (const daemon of [...daemons.values()].reverse()) await daemon.stop();
    network.remove();
    folder.remove();
  };
  const files = ["--vty_socket", sockets, "--config_dir", etc];
  const push = (lines: readonly string[]): FrrPush => {
    const commands = ["configure terminal", ...lines].flatMap((line) => ["-c", line]);
    const { stdout, stderr, status } = run(["/usr/bin/vtysh", ...files, "--echo", ...commands]);
    const told = stdout.split(new RegExp(`^${hostname}(?:\\([^)]*\\))?# .*\n`, "m"));
    const words = `${told.at(-1) ?? ""}${stderr}`.trim();
    // In front of the first is nothing, and behind it what was said to the entry into the configuration.
    return { accepted: told.length - (status === 0 ? 2 : 3), words };
  };
  const check = (lines: readonly string[]): number[] => {
    const path = join(folder.path, "checked.conf");
    writeFileSync(path, `${lines.join("\n")}\n`);
    const { stdout, stderr } = run(["/usr/bin/vtysh", ...files, "--dryrun", "--inputfile", path]);
    return [...`${stdout}${stderr}`.matchAll(/^line (\d+):/gm)].map(([, line]) => Number(line));
  };
  const vtysh = (...commands: string[]) => {
    const result = run(["/usr/bin/vtysh", ...files, ...commands.flatMap((command) => ["-c", command])]);
    return result.stdout + result.stderr;
  };
  return behindSshd(stopRouter, async () => {
    for (const daemon of ["zebra", ...(options.daemons ?? ["staticd"])]) await startDaemon(daemon);
    run(["/usr/bin/vtysh", ...files, "--boot"], { mustSucceed: true });
    const config = [`SetEnv PATCHBAY_FRR=${folder.path}`];
    const sshd = await startSshd({ user, config });
    return {
      ...sshd,
      hostname,
      network: network.name,
      vtysh,
      push,
      check,
      rename(as) {
        vtysh("configure terminal", `hostname ${as}`);
        name(as);
        sshd.killSessions();
      },
      async stopDaemon(daemon) {
        await daemons.get(daemon)?.stop();
        rmSync(join(sockets, `${daemon}.vty`), { force: true });
      },
      async startDaemon(daemon) {
        await startDaemon(daemon);
        run(["/usr/bin/vtysh", ...files, "--boot", "--daemon", daemon], { mustSucceed: true });
      },
      stranger: () => startSshd({ user: ensureUser("patchbay-stranger", { shell: loginShell }), config }),
      savedConfiguration: () => readFileSync(join(etc, "frr.conf"), "utf8"),
    };
  });
}

/** Also a UTS namespace: the daemons include the host name in their output. */
function daemonCommand(daemon: string, network: Network, hostname: string, sockets: string): string[] {
  const files = [
    "--vty_socket",
    sockets,
    "-z",
    join(sockets, "zserv.api"),
    "-i",
    join(sockets, `${daemon}.pid`),
  ];
  const account = ["-u", "frr", "-g", "frr"];
  const command = [`/usr/lib/frr/${daemon}`, ...files, "-P", "0", "-f", "/dev/null", ...account];
  return network.inside(hostname, command);
}

function vtyshUser() {
  withLock("vtysh-login", () => {
    mkdirSync("/usr/local/lib/patchbay-testbed", { recursive: true });
    writeFileSync(loginShell, loginShellText, { mode: 0o755 });
    chmodSync(loginShell, 0o755);
  });
  return ensureUser("patchbay-vtysh", { shell: loginShell, groups: ["frrvty", "frr"] });
}
