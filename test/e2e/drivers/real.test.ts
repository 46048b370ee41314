/** The service end to end on real CLIs: bash over OpenSSH, FRR's vtysh as a login shell, ash over dropbear. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { needs } from "../../../scripts/testbed/catalogue.ts";
import { type Dropbear, startDropbear } from "../../../scripts/testbed/dropbear.ts";
import { type Frr, startFrr } from "../../../scripts/testbed/frr.ts";
import { type Sshd, startSshd } from "../../../scripts/testbed/openssh.ts";
import { type Service, startService } from "../../../src/testkit/service.ts";
import { marker } from "../../device/ssh/support.ts";

interface Login {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
}

const connection = (device_type: string, login: Login, more: object = {}) => ({
  device_type,
  host: login.host,
  port: login.port,
  username: login.user,
  password: login.password,
  ...more,
});

describe.skipIf(needs("openssh"))("bash over OpenSSH", () => {
  let service: Service;
  let sshd: Sshd;
  beforeAll(async () => {
    sshd = await startSshd();
    service = await startService();
  });
  afterAll(async () => {
    await service.stop();
    await sshd.stop();
  });

  test("runs commands in order and returns their exact output", async () => {
    const job = await service.run({
      driver: "netmiko",
      connection_args: connection("linux", sshd),
      command: ["echo hello", "printf 'a\\n\\n  b\\n'", "seq 1 2000", "echo 'für Löwen 漢字'"],
    });
    expect(job.status).toBe("finished");
    const retval = job.result?.retval ?? {};
    expect(retval["echo hello"]).toBe("hello");
    expect(retval["printf 'a\\n\\n  b\\n'"]).toBe("a\n\n  b");
    expect(String(retval["seq 1 2000"]).split("\n")).toHaveLength(2000);
    expect(retval["echo 'für Löwen 漢字'"]).toBe("für Löwen 漢字");
  });

  test("is detected by autodetect", async () => {
    const job = await service.run({
      driver: "netmiko",
      connection_args: connection("autodetect", sshd),
      command: "echo hello",
    });
    expect(job.result?.retval).toEqual({ "echo hello": "hello" });
    const tried = await service.call<{ device_info: object }>("POST", "/device/test-connection", {
      driver: "netmiko",
      connection_args: connection("autodetect", sshd),
    });
    expect(tried.body.data.device_info).toMatchObject({ device_type: "linux" });
  });

  test("runs configuration lines that change the server", async () => {
    const path = `${sshd.folder}/made-by-a-job`;
    const job = await service.run({
      driver: "netmiko",
      connection_args: connection("linux", sshd),
      config: [`echo one > ${path}`, `echo two >> ${path}`],
      driver_args: { enter_config_mode: false, exit_config_mode: false },
    });
    expect(job.status).toBe("finished");
    const shown = await service.run({
      driver: "netmiko",
      connection_args: connection("linux", sshd),
      command: `cat ${path}`,
    });
    expect(shown.result?.retval?.[`cat ${path}`]).toBe("one\ntwo");
  });

  test("uses the same session for the second job", async () => {
    const body = { driver: "netmiko", connection_args: connection("linux", sshd), command: "id -un" };
    await service.run(body);
    const before = sshd.connections();
    const again = await service.run(body);
    expect(again.result?.retval?.["id -un"]).toBe(sshd.user);
    expect(sshd.connections()).toBe(before);
  });

  test("replaces a session that the server killed", async () => {
    const body = { driver: "netmiko", connection_args: connection("linux", sshd), command: "id -un" };
    await service.run(body);
    sshd.killSessions("SIGKILL");
    expect((await service.run(body)).status).toBe("finished");
  });

  test("a session killed during a command is ConnectionLost with an unknown outcome", async () => {
    const begun = marker();
    const job = await service.call<{ id: string }>("POST", "/device/execute", {
      driver: "netmiko",
      connection_args: connection("linux", sshd),
      command: begun.command,
      driver_args: { read_timeout: 120 },
    });
    await begun.seen();
    sshd.killSessions("SIGKILL");
    const ended = await service.ended(job.body.data.id);
    expect(ended).toMatchObject({
      status: "failed",
      result: { error: { type: "ConnectionLost", outcome: "unknown" } },
    });
  });
});

describe.skipIf(needs("frr"))("FRR's vtysh", () => {
  let service: Service;
  let router: Frr;
  beforeAll(async () => {
    router = await startFrr({ hostname: "R1" });
    service = await startService();
  });
  afterAll(async () => {
    await service.stop();
    await router.stop();
  });

  test("returns show version", async () => {
    const job = await service.run({
      driver: "netmiko",
      connection_args: connection("cisco_ios", router),
      command: "show version",
    });
    expect(job.status).toBe("finished");
    const text = String(job.result?.retval?.["show version"]);
    expect(text).toMatch(/^FRRouting \d+\.\d+/);
    expect(text).not.toContain("R1#");
  });

  test("pushes, saves and shows a configuration", async () => {
    const lines = ["interface lo", "description made by a job", "exit", "ip route 192.0.2.0/24 blackhole"];
    const job = await service.run({
      driver: "netmiko",
      connection_args: connection("cisco_ios", router),
      config: lines,
      driver_args: { save: true },
    });
    expect(job.status).toBe("finished");
    expect(router.vtysh("show running-config")).toContain("ip route 192.0.2.0/24 blackhole");
    expect(router.savedConfiguration()).toContain("description made by a job");
    expect(String(job.result?.retval?.[lines.join("\n")])).toContain(
      "R1(config-if)# description made by a job",
    );
  });

  test("stops a push at a rejected line and leaves configuration mode", async () => {
    const job = await service.run({
      driver: "netmiko",
      connection_args: connection("cisco_ios", router),
      config: ["ip route 198.51.100.0/24 blackhole", "bogus command", "ip route 203.0.113.0/24 blackhole"],
    });
    expect(job).toMatchObject({
      status: "failed",
      result: { error: { type: "CommandError", command: "bogus command" } },
    });
    expect(String(job.result?.error?.output)).toContain("Unknown command");
    const running = router.vtysh("show running-config");
    expect(running).toContain("198.51.100.0/24");
    expect(running).not.toContain("203.0.113.0/24");
    const next = await service.run({
      driver: "netmiko",
      connection_args: connection("cisco_ios", router),
      command: "show version",
    });
    expect(next.status).toBe("finished");
  });

  test("follows the prompt when the host name changes", async () => {
    const job = await service.run({
      driver: "netmiko",
      connection_args: connection("cisco_ios", router),
      config: ["hostname edge-7", "interface lo"],
      driver_args: { save: true },
    });
    expect(job.status).toBe("finished");
    const next = await service.run({
      driver: "netmiko",
      connection_args: connection("cisco_ios", router),
      command: ["show version", "show version"],
    });
    expect(next.status).toBe("finished");
    await service.run({
      driver: "netmiko",
      connection_args: connection("cisco_ios", router),
      config: ["hostname R1"],
    });
  });
});

describe.skipIf(needs("dropbear"))("busybox ash over dropbear", () => {
  test("runs a query and a change", async () => {
    const box: Dropbear = await startDropbear();
    const service = await startService();
    try {
      const job = await service.run({
        driver: "netmiko",
        connection_args: connection("linux", box),
        command: ["echo $0", "ls /"],
      });
      expect(job.status).toBe("finished");
      expect(String(job.result?.retval?.["ls /"])).toContain("bin");
    } finally {
      await service.stop();
      await box.stop();
    }
  });
});
