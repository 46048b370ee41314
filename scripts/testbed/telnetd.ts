/** Debian's Telnet server with its own login before a shell, on a loopback port. */
import { type Running, startServer } from "./process.ts";
import type { TestUser } from "./users.ts";

export interface Telnetd {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  log(): string;
  stop(): Promise<void>;
}

export async function startTelnetd(user: TestUser): Promise<Telnetd> {
  // telnetd needs a listener such as inetd.
  const running: Running = await startServer((port) => ({
    command: [
      "/usr/bin/socat",
      `TCP-LISTEN:${port},bind=127.0.0.1,reuseaddr,fork`,
      "EXEC:/usr/sbin/telnetd,nofork",
    ],
  }));
  return {
    host: "127.0.0.1",
    port: running.port,
    user: user.name,
    password: user.password,
    log: running.log,
    stop: running.stop,
  };
}
