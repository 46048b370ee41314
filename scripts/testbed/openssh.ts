/** A real sshd on a loopback port, with the algorithms, keys and ways to log in that a test asks for. */
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeFolder, type Running, signalProcess, startServer } from "./process.ts";
import { run } from "./run.ts";
import { ensureUser, type TestUser } from "./users.ts";

export interface SshdOptions {
  /** Default: `patchbay-linux` with bash. */
  readonly user?: TestUser;
  /** Types of ssh-keygen with an optional size: `ed25519`, `rsa`, `rsa-1024`, `ecdsa-384`. Default ed25519. */
  readonly hostKeys?: readonly string[];
  /** Each in sshd's own notation; default: what sshd likes best. */
  readonly kex?: string;
  readonly ciphers?: string;
  readonly macs?: string;
  readonly hostKeyAlgorithms?: string;
  readonly pubkeyAlgorithms?: string;
  /** `sshd_config` notation, such as `1M`. */
  readonly rekeyLimit?: string;
  readonly password?: boolean;
  /** Asks through PAM. */
  readonly keyboardInteractive?: boolean;
  /** Default: there is SFTP. */
  readonly sftp?: boolean;
  /** Lines of `authorized_keys`. */
  readonly authorizedKeys?: readonly string[];
  /** Further lines of sshd_config; they win over the others. */
  readonly config?: readonly string[];
}

export interface Sshd {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly hostKeys: readonly { readonly type: string; readonly fingerprint: string }[];
  log(): string;
  said(pattern: RegExp, withinMs?: number): Promise<void>;
  /** Connections that sshd has taken so far, the one of the start-up check left out. */
  connections(): number;
  /** Kills the processes of the sessions, not the listener. */
  killSessions(signal?: NodeJS.Signals): void;
  /** Process ids of the sessions. */
  sessions(): number[];
  /** A folder that the user may write to; gone when the server is stopped. */
  readonly folder: string;
  stop(): Promise<void>;
}

export function linuxUser(): TestUser {
  return ensureUser("patchbay-linux", { shell: "/bin/bash" });
}

export async function startSshd(options: SshdOptions = {}): Promise<Sshd> {
  const user = options.user ?? linuxUser();
  const folder = makeFolder("sshd");
  const shared = join(folder.path, "files");
  mkdirSync(shared);
  run(["chown", user.name, shared], { mustSucceed: true });
  const keys = (options.hostKeys ?? ["ed25519"]).map((kind) => makeHostKey(folder.path, kind));
  writeFileSync(join(folder.path, "authorized_keys"), (options.authorizedKeys ?? []).join("\n"), {
    mode: 0o644,
  });
  const config = join(folder.path, "sshd_config");
  writeFileSync(config, configText(options, folder.path, keys));
  mkdirSync("/run/sshd", { recursive: true });

  let running: Running;
  try {
    running = await startServer((port) => ({
      command: ["/usr/sbin/sshd", "-D", "-e", "-f", config, "-o", `Port ${port}`],
    }));
  } catch (error) {
    folder.remove();
    throw error;
  }
  return {
    host: "127.0.0.1",
    port: running.port,
    user: user.name,
    password: user.password,
    hostKeys: keys.map(({ type, fingerprint }) => ({ type, fingerprint })),
    folder: shared,
    log: running.log,
    said: running.said,
    connections: () => Math.max(0, running.log().split("Connection from ").length - 2),
    sessions: running.descendants,
    killSessions: (signal = "SIGKILL") => {
      for (const pid of running.descendants()) signalProcess(pid, signal);
    },
    async stop() {
      const sessions = running.descendants();
      await running.stop();
      for (const pid of sessions) signalProcess(pid, "SIGKILL");
      folder.remove();
    },
  };
}

function makeHostKey(folder: string, kind: string) {
  const [type = "ed25519", bits] = kind.split("-");
  const path = join(folder, `host_${kind}`);
  // ssh-keygen makes no RSA key under 1024 bits and no ECDSA key without a size of the three curves.
  const size = bits === undefined ? [] : ["-b", bits];
  run(["ssh-keygen", "-q", "-t", type, ...size, "-N", "", "-f", path], { mustSucceed: true });
  const [name = "", blob = ""] = readFileSync(`${path}.pub`, "utf8").split(" ");
  const digest = createHash("sha256").update(Buffer.from(blob, "base64")).digest("base64").replace(/=+$/, "");
  return { path, type: name, fingerprint: `SHA256:${digest}` };
}

function configText(options: SshdOptions, folder: string, keys: readonly { path: string }[]): string {
  const { kex, ciphers, macs, hostKeyAlgorithms, pubkeyAlgorithms, rekeyLimit } = options;
  const usePam = options.keyboardInteractive === true;
  const yesOrNo = (value: boolean) => (value ? "yes" : "no");
  const lines = [
    // First: of a setting that is given twice sshd takes the first.
    ...(options.config ?? []),
    "ListenAddress 127.0.0.1",
    "LogLevel VERBOSE",
    "PidFile none",
    "StrictModes no",
    "PrintMotd no",
    "PrintLastLog no",
    "UseDNS no",
    // Of this one it takes the last.
    ...(options.config?.some((line) => line.startsWith("MaxStartups ")) ? [] : ["MaxStartups 1000"]),
    "MaxSessions 100",
    `UsePAM ${yesOrNo(usePam)}`,
    `KbdInteractiveAuthentication ${yesOrNo(usePam)}`,
    `PasswordAuthentication ${yesOrNo(options.password ?? !usePam)}`,
    `AuthorizedKeysFile ${join(folder, "authorized_keys")}`,
    ...(options.sftp === false ? [] : ["Subsystem sftp internal-sftp"]),
    ...keys.map(({ path }) => `HostKey ${path}`),
    ...(kex ? [`KexAlgorithms ${kex}`] : []),
    ...(ciphers ? [`Ciphers ${ciphers}`] : []),
    ...(macs ? [`MACs ${macs}`] : []),
    ...(hostKeyAlgorithms ? [`HostKeyAlgorithms ${hostKeyAlgorithms}`] : []),
    ...(pubkeyAlgorithms ? [`PubkeyAcceptedAlgorithms ${pubkeyAlgorithms}`] : []),
    ...(rekeyLimit ? [`RekeyLimit ${rekeyLimit}`] : []),
  ];
  return `${lines.join("\n")}\n`;
}
