/** A real NETCONF server (yuma123's netconfd) behind sshd: candidate, confirmed commits that outlive their session. */
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { behindSshd, linuxUser, type Sshd, startSshd } from "./openssh.ts";
import { appears, launchProcess, makeFolder } from "./process.ts";

export interface Netconfd extends Sshd {
  /** What the server says of itself. */
  serverLog(): string;
}

const empty = '<?xml version="1.0"?>\n<config xmlns="urn:ietf:params:xml:ns:netconf:base:1.0"/>\n';

/** Models that can be configured: interfaces of RFC 8343. */
const modules = ["ietf-interfaces", "iana-if-type"];

export async function startNetconfd(): Promise<Netconfd> {
  const user = linuxUser();
  const folder = makeFolder("netconfd");
  const inside = (name: string) => join(folder.path, name);
  writeFileSync(inside("startup-cfg.xml"), empty);
  writeFileSync(inside("startup-cfg-txid.txt"), "0\n");
  const socket = inside("ncx.sock");
  const log = inside("netconfd.log");
  const daemon = launchProcess({
    command: [
      ...["/usr/sbin/netconfd", `--startup=${inside("startup-cfg.xml")}`, "--target=candidate"],
      ...[`--superuser=${user.name}`, `--log=${log}`, `--ncxserver-sockname=${socket}`],
      ...modules.map((name) => `--module=${name}`),
    ],
    env: { HOME: folder.path, YUMA_HOME: folder.path, PATH: "/usr/sbin:/usr/bin:/sbin:/bin" },
    cwd: folder.path,
  });
  // The subsystem accepts only the port it was told of, and sshd has another one for each test.
  const subsystem = inside("subsystem");
  writeFileSync(
    subsystem,
    `#!/bin/sh\nexport SSH_CONNECTION="127.0.0.1 10000 127.0.0.1 830"\nexec /usr/sbin/netconf-subsystem --ncxserver-sockname=830@${socket}\n`,
    { mode: 0o755 },
  );
  chmodSync(folder.path, 0o755);
  const stopDaemon = async () => {
    await daemon.stop();
    folder.remove();
  };
  return behindSshd(stopDaemon, async () => {
    await appears(socket, daemon);
    chmodSync(socket, 0o777);
    const sshd = await startSshd({ config: [`Subsystem netconf ${subsystem}`] });
    return { ...sshd, serverLog: () => readFileSync(log, "utf8") };
  });
}
