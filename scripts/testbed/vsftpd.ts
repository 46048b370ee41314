/** A real FTP server on loopback: one user or nobody in particular, passive mode, a folder of its own. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../../src/testkit/port.ts";
import { makeFolder, startServer } from "./process.ts";
import { run } from "./run.ts";

export interface FtpServer {
  readonly host: string;
  readonly port: number;
  /** What anonymous users see. */
  readonly folder: string;
  /** Puts a file there. */
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
    // A few, for transfers side by side.
    pasv_max_port: passivePort + 20,
    pasv_address: "127.0.0.1",
    vsftpd_log_file: log,
    xferlog_enable: "YES",
    // Containers without the right to make name spaces still run it.
    isolate: "NO",
    isolate_network: "NO",
    seccomp_sandbox: "NO",
  };
  return `${Object.entries(settings)
    .map(([key, value]) => `${key}=${value}`)
    .join("\n")}\n`;
}
