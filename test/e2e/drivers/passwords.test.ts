/** Real systems that check passwords slowly: sudo with PAM over SSH and Telnet, enable on FRR's terminal. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { needs } from "../../../scripts/testbed/catalogue.ts";
import { startDropbear } from "../../../scripts/testbed/dropbear.ts";
import { startFrrVty } from "../../../scripts/testbed/frr-vty.ts";
import { startSshd } from "../../../scripts/testbed/openssh.ts";
import { allowSudo } from "../../../scripts/testbed/sudo.ts";
import { startTelnetd } from "../../../scripts/testbed/telnetd.ts";
import { ensureUser } from "../../../scripts/testbed/users.ts";
import { type Service, startService } from "../../../src/testkit/service.ts";

/** Delay of PAM after a correct password. */
const delayMs = 2000;

interface Server {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  stop(): Promise<void>;
}

const bashUser = () => ensureUser("patchbay-sudo", { shell: "/bin/bash" });

describe.skipIf(needs("sudo", "openssh", "dropbear", "telnetd"))("sudo", () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());

  test.each<[string, string, () => Promise<Server>]>([
    ["OpenSSH", "linux", () => startSshd({ user: bashUser() })],
    ["dropbear", "linux", startDropbear],
    ["telnetd", "linux_telnet", () => startTelnetd(bashUser())],
  ])("over %s: the right password, and a wrong one", async (_, device_type, start) => {
    const server = await start();
    allowSudo(server.user, delayMs);
    const { host, port, user: username, password } = server;
    const pushAs = (secret: string) =>
      service.run({
        driver: "netmiko",
        connection_args: { device_type, host, port, username, password, secret },
        config: ["id -un"],
      });
    try {
      const done = await pushAs(password);
      expect(done).toMatchObject({ status: "finished" });
      expect(String(done.result?.retval?.["id -un"])).toMatch(/^root$/m);
      const refused = await pushAs("not-the-password");
      expect(refused).toMatchObject({
        status: "failed",
        result: { error: { type: "AuthenticationFailed" } },
      });
      expect(JSON.stringify(refused)).not.toContain("not-the-password");
    } finally {
      await server.stop();
    }
  });

  test("a kept session carries no shell state into the next job", async () => {
    const server = await startSshd({ user: bashUser() });
    const run = (command: string[]) =>
      service.run({
        driver: "netmiko",
        connection_args: {
          device_type: "linux",
          host: server.host,
          port: server.port,
          username: server.user,
          password: server.password,
        },
        command,
      });
    try {
      const fresh = (await run(["pwd", "umask"])).result?.retval;
      await run(["cd /tmp", "umask 0000", "export LEFT_BEHIND=yes", "set -o noglob"]);
      const connections = server.connections();
      const next = await run(["pwd", "umask", 'echo "[$LEFT_BEHIND] $-"']);
      expect(next.result?.retval).toMatchObject(fresh ?? {});
      expect(next.result?.retval?.['echo "[$LEFT_BEHIND] $-"']).toMatch(/^\[\] [^f]*$/);
      expect(server.connections()).toBe(connections);
    } finally {
      await server.stop();
    }
  });
});

describe.skipIf(needs("frr"))("FRR's own terminal", () => {
  test("handles the password prompts of login and enable, and a push", async () => {
    const service = await startService();
    const vty = await startFrrVty("EDGE7");
    const connection = (secret: string) => ({
      device_type: "cisco_ios_telnet",
      host: vty.host,
      port: vty.port,
      password: vty.password,
      secret,
    });
    try {
      const shown = await service.run({
        driver: "netmiko",
        connection_args: connection(vty.secret),
        config: ["router bgp 65000", "bgp router-id 192.0.2.1"],
      });
      expect(shown).toMatchObject({ status: "finished" });
      const running = await service.run({
        driver: "netmiko",
        connection_args: connection(vty.secret),
        command: "show running-config",
      });
      expect(String(running.result?.retval?.["show running-config"])).toContain("bgp router-id 192.0.2.1");
      const wrong = await service.run({
        driver: "netmiko",
        connection_args: connection("not-the-enable-word"),
        command: "show running-config",
      });
      expect(wrong).toMatchObject({ status: "failed", result: { error: { type: "AuthenticationFailed" } } });
    } finally {
      await service.stop();
      await vty.stop();
    }
  });
});
