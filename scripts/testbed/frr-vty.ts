/**
 * The telnet terminal of an FRR daemon without a kernel, with a login password and an enable password: bgpd, or ripd with
 * a candidate configuration and confirmed commits.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeFolder, startServer } from "./process.ts";
import { run } from "./run.ts";

export interface FrrVty {
  readonly host: string;
  readonly port: number;
  readonly password: string;
  /** The enable password. */
  readonly secret: string;
  log(): string;
  stop(): Promise<void>;
}

export async function startFrrVty(hostname: string, daemon: "bgpd" | "ripd" = "bgpd"): Promise<FrrVty> {
  const folder = makeFolder("frr-vty");
  const sockets = join(folder.path, "run");
  mkdirSync(sockets);
  const password = "vty-login-word";
  const secret = "vty-enable-word";
  const file = join(folder.path, `${daemon}.conf`);
  const own = {
    bgpd: ["--no_kernel", "--no_zebra", "--bgp_port", "0", "--listenon", "127.0.0.1"],
    ripd: ["--tcli", "--socket", join(sockets, "zserv.api")],
  };
  writeFileSync(file, `hostname ${hostname}\npassword ${password}\nenable password ${secret}\n`);
  run(["chown", "-R", "frr:frrvty", file, sockets], { mustSucceed: true });
  const running = await startServer((port) => ({
    command: [
      `/usr/lib/frr/${daemon}`,
      ...own[daemon],
      ...["--vty_addr", "127.0.0.1", "--vty_port", String(port), "--vty_socket", sockets],
      ...[
        "--config_file",
        file,
        "--pid_file",
        join(sockets, `${daemon}.pid`),
        "--user",
        "frr",
        "--group",
        "frr",
      ],
    ],
  }));
  return {
    host: "127.0.0.1",
    port: running.port,
    password,
    secret,
    log: running.log,
    async stop() {
      await running.stop();
      folder.remove();
    },
  };
}
