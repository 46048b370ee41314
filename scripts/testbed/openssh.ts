/** A real sshd on a loopback port, with the algorithms, keys and authentication methods of a test. */
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeFolder, type Running, signalProcess, startServer } from "./process.ts";
import { run } from "./run.ts";
import { ensureUser, type TestUser } from "./users.ts";

export interface SshdOptions {
  /** Default: `patchbay-linux` with bash. */
  readonly user?: TestUser;
  /** ssh-keygen types with optional size: `ed25519`, `rsa`, `rsa-1024`, `ecdsa-384`. Default ed25519. */
  readonly hostKeys?: readonly string[];
  /** In sshd's notation; default: sshd's own. */
  readonly kex?: string;
  readonly ciphers?: string;
  readonly macs?: string;
  readonly hostKeyAlgorithms?: string;
  readonly pubkeyAlgorithms?: string;
  /** `sshd_config` notation, such as `1M`. */
  readonly rekeyLimit?: string;
  readonly password?: boolean;
  /** Authenticates through PAM. */
  readonly keyboardInteractive?: boolean;
  /** Default: enabled. */
  readonly sftp?: boolean;
  /** Lines of `authorized_keys`. */
  readonly authorizedKeys?: readonly string[];
  /** Additional lines of sshd_config, which take precedence. */
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
  /** Number of accepted connections, without the start-up check. */
  connections(): number;
  /** Kills the session processes but not the listener. */
  killSessions(signal?: NodeJS.Signals): void;
  /** Process ids of the sessions. */
  sessions(): number[];
  /** A folder writable by the user; removed when the server stops. */
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
  // ssh-keygen requires at least 1024 bits for RSA, and a size of one of the three curves for ECDSA.
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
    // Comes first, because sshd uses the first value of a setting.
    ...(options.config ?? []),
    "ListenAddress 127.0.0.1",
    "LogLevel VERBOSE",
    "PidFile none",
    "StrictModes no",
    "PrintMotd no",
    "PrintLastLog no",
    "UseDNS no",
    // For this setting sshd uses the last value.
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

/**
 * Starts servers and the sshd before them.
 * @param stopServers called after sshd was stopped, or when something does not start
 */
export async function behindSshd<T extends Sshd>(
  stopServers: () => Promise<void>,
  start: () => Promise<T>,
): Promise<T> {
  try {
    const started = await start();
    return {
      ...started,
      async stop() {
        await started.stop();
        await stopServers();
      },
    };
  } catch (error) {
    await stopServers();
    throw error;
  }
}
