/** A real SNMP agent (Net-SNMP's snmpd), of version 2c and 3, with LLDP-MIB from lldpd if it can run. */

import { createSocket } from "node:dgram";
import { once } from "node:events";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { appears, launchProcess, makeFolder } from "./process.ts";

export interface Snmpd {
  readonly host: string;
  readonly port: number;
  readonly community: string;
  /** May not set anything. */
  readonly readCommunity: string;
  readonly users: readonly { readonly username: string; readonly auth: string; readonly priv?: string }[];
  readonly password: string;
  readonly privPassword: string;
  /** Its engine counts a boot more, and its time begins anew. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

const users = [
  { username: "sha1user", auth: "sha" },
  { username: "sha256user", auth: "sha256", priv: "aes" },
  { username: "sha512user", auth: "sha512", priv: "aes" },
  { username: "sha384user", auth: "sha384", priv: "aes256b" },
  { username: "sha224user", auth: "sha224", priv: "aes256r" },
  // Digests that are shorter than the key of their cipher.
  { username: "long1user", auth: "sha", priv: "aes256b" },
  { username: "long2user", auth: "sha", priv: "aes256r" },
  { username: "olduser", auth: "md5", priv: "des" },
] as const;
/** What snmpd calls them. */
const digests = {
  md5: "MD5",
  sha: "SHA",
  sha224: "SHA-224",
  sha256: "SHA-256",
  sha384: "SHA-384",
  sha512: "SHA-512",
} as const;
const ciphers = { des: "DES", aes: "AES", aes256b: "AES-256", aes256r: "AES-256-C" } as const;

export async function startSnmpd(): Promise<Snmpd> {
  const folder = makeFolder("snmpd");
  const inside = (name: string) => join(folder.path, name);
  const port = await freePort();
  const password = "auth-password-17";
  const privPassword = "priv-password-17";
  mkdirSync(inside("state"));
  writeFileSync(
    inside("snmpd.conf"),
    [
      `agentAddress udp:127.0.0.1:${port}`,
      "rwcommunity canary-write-17 127.0.0.1",
      "rocommunity canary-read-17 127.0.0.1",
      `master agentx`,
      `agentXSocket ${inside("agentx")}`,
      `agentXPerms 0777 0777`,
      // A contact that is configured cannot be set.
      "sysName testbed-agent",
      "sysLocation a rack",
      ...users.map(
        ({ username, auth, ...more }) =>
          `createUser ${username} ${digests[auth]} ${password}${"priv" in more ? ` ${ciphers[more.priv]} ${privPassword}` : ""}`,
      ),
      ...users.map(({ username, ...more }) => `rwuser ${username} ${"priv" in more ? "priv" : "auth"}`),
      "",
    ].join("\n"),
  );
  async function start() {
    const daemon = launchProcess({
      command: [
        "/usr/sbin/snmpd",
        "-f",
        "-Lf",
        inside("log"),
        "-C",
        "-c",
        inside("snmpd.conf"),
        "-p",
        inside("pid"),
      ],
      env: { PATH: "/usr/sbin:/usr/bin", SNMP_PERSISTENT_DIR: inside("state"), MIBS: "" },
      cwd: folder.path,
    });
    await appears(inside("agentx"), daemon);
    return daemon;
  }
  let daemon = await start();
  const lldpd = launchProcess({
    command: ["/usr/sbin/lldpd", "-d", "-x", "-X", inside("agentx"), "-u", inside("lldpd.socket")],
    env: { PATH: "/usr/sbin:/usr/bin" },
    cwd: folder.path,
  });
  return {
    host: "127.0.0.1",
    port,
    community: "canary-write-17",
    readCommunity: "canary-read-17",
    users,
    password,
    privPassword,
    async restart() {
      await daemon.stop();
      rmSync(inside("agentx"), { force: true });
      daemon = await start();
    },
    async stop() {
      await lldpd.stop();
      await daemon.stop();
      folder.remove();
    },
  };
}

async function freePort(): Promise<number> {
  const socket = createSocket("udp4").bind(0, "127.0.0.1");
  await once(socket, "listening");
  const { port } = socket.address();
  await new Promise<void>((resolve) => socket.close(() => resolve()));
  return port;
}
