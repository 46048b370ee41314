/** A real FTP server on loopback: one user or anonymous, passive mode, its own folder. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../../src/testkit/port.ts";
import { makeFolder, startServer } from "./process.ts";
import { run } from "./run.ts";

export interface FtpServer {
  readonly host: string;
  readonly port: number;
  /** The folder of anonymous users. */
  readonly folder: string;
  /** Writes a file there. */
  put(name: string, content: string | Uint8Array): void;
  log(): string;
  stop(): Promise<void>;
}

export async function startVsftpd(): Promise<FtpServer> {
  const folder = makeFolder("vsftpd");
  const files = join(folder.path, "files");
  const empty = join(folder.path, "empty");
  for (const path of [files, empty]) mkdirSync(path, { mode: 0o755 });
  run(["chmod", "755", folder.path], { mustSucceed: true });
  const config = join(folder.path, "vsftpd.conf");
  const running = await startServer(async (port) => {
    const passivePort = await freePort();
    writeFileSync(config, configText({ port, passivePort, files, empty, log: join(folder.path, "log") }));
    return { command: ["/usr/sbin/vsftpd", config] };
  });
  return {
    host: "127.0.0.1",
    port: running.port,
    folder: files,
    put: (name, content) => writeFileSync(join(files, name), content, { mode: 0o644 }),
    log: running.log,
    async stop() {
      await running.stop();
      folder.remove();
    },
  };
}

interface Settings {
  readonly port: number;
  readonly passivePort: number;
  readonly files: string;
  readonly empty: string;
  readonly log: string;
}

function configText({ port, passivePort, files, empty, log }: Settings): string {
  const settings = {
    listen: "YES",
    listen_ipv6: "NO",
    listen_address: "127.0.0.1",
    listen_port: port,
    background: "NO",
    anonymous_enable: "YES",
    no_anon_password: "YES",
    local_enable: "NO",
    write_enable: "NO",
    anon_root: files,
    secure_chroot_dir: empty,
    pasv_enable: "YES",
    pasv_min_port: passivePort,
    // Several ports, for concurrent transfers.
    pasv_max_port: passivePort + 20,
    pasv_address: "127.0.0.1",
    vsftpd_log_file: log,
    xferlog_enable: "YES",
    // Also works in containers that may not create namespaces.
    isolate: "NO",
    isolate_network: "NO",
    seccomp_sandbox: "NO",
  };
  return `${Object.entries(settings)
    .map(([key, value]) => `${key}=${value}`)
    .join("\n")}\n`;
}
