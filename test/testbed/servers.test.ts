/** The real servers of the tests: each starts, answers as itself, and leaves nothing behind. */
import { existsSync } from "node:fs";
import process from "node:process";
import { Writable } from "node:stream";
import { Client as FtpClient } from "basic-ftp";
import { describe, expect, test } from "vitest";
import { startBird } from "../../scripts/testbed/bird.ts";
import { needs } from "../../scripts/testbed/catalogue.ts";
import { startDropbear } from "../../scripts/testbed/dropbear.ts";
import { startFrr } from "../../scripts/testbed/frr.ts";
import { startSshd } from "../../scripts/testbed/openssh.ts";
import { startOpenVSwitch } from "../../scripts/testbed/openvswitch.ts";
import { run } from "../../scripts/testbed/run.ts";
import { sqldProgram, startSqld } from "../../scripts/testbed/sqld.ts";
import { startVsftpd } from "../../scripts/testbed/vsftpd.ts";
import { newSsh, scopeOf, targetOf, textOf, withConnection } from "../device/ssh/support.ts";

const size = { cols: 511, rows: 1000 };

describe.skipIf(needs("openssh"))("OpenSSH", () => {
  test("starts twice side by side and leaves nothing behind", async () => {
    const servers = await Promise.all([startSshd(), startSshd({ hostKeys: ["ecdsa", "rsa-1024"] })]);
    expect(new Set(servers.map((server) => server.port)).size).toBe(2);
    for (const server of servers) {
      expect(server.connections()).toBe(0);
      await withConnection(targetOf(server), async () => expect(server.connections()).toBe(1));
      expect(existsSync(server.folder)).toBe(true);
    }
    await Promise.all(servers.map((server) => server.stop()));
    for (const server of servers) {
      expect(existsSync(server.folder)).toBe(false);
      await expect(newSsh().connect(targetOf(server), scopeOf())).rejects.toMatchObject({
        kind: "ConnectionRefused",
      });
    }
  });
});

describe.skipIf(needs("frr"))("FRR", () => {
  test("starts a router in its own network, which can be configured and saved", async () => {
    const router = await startFrr({
      hostname: "EDGE7",
      configuration: ["interface lo", " description start"],
    });
    const network = `pb-${process.pid}-`;
    try {
      expect(run(["ip", "netns", "list"]).stdout).toContain(network);
      await withConnection(targetOf(router), async (connection, scope) => {
        const shell = await connection.shell(size, scope);
        const seen = textOf(shell);
        await seen.has(/Hello, this is FRRouting[\s\S]*EDGE7# $/);
        shell.write("configure terminal\nip route 10.1.2.0/24 Null0\nno such thing\nend\nwrite memory\n");
        await seen.has(/\[OK\]|saved to[\s\S]*EDGE7# $/);
        expect(seen.text()).toContain("% Unknown command: no such thing");
        await shell.end();
      });
      expect(router.savedConfiguration()).toContain("ip route 10.1.2.0/24 Null0");
      expect(router.vtysh("show running-config")).toContain("description start");
      // It must not change this machine's routes.
      expect(run(["ip", "route"]).stdout).not.toContain("10.1.2.0/24");
    } finally {
      await router.stop();
    }
    expect(run(["ip", "netns", "list"]).stdout).not.toContain(network);
  });
});

describe.skipIf(needs("bird"))("BIRD", () => {
  test("reads its file again, and refuses a wrong one", async () => {
    const bird = await startBird("router id 192.0.2.1;\nprotocol device {}\n");
    try {
      bird.configure(`${bird.configuration()}protocol static { ipv4; route 192.0.2.0/24 blackhole; }\n`);
      expect(() => bird.configure("protocol nothing {}\n")).toThrow("syntax error");
      await withConnection(targetOf(bird), async (connection, scope) => {
        const { stdout } = await connection.exec(`cat ${bird.file}`, {}, scope);
        expect(stdout).toBe("protocol nothing {}\n");
      });
    } finally {
      await bird.stop();
    }
  });
});

describe.skipIf(needs("openvswitch"))("Open vSwitch", () => {
  test("has bridges and ports without a kernel, and shows them to a user who is admitted", async () => {
    const ovs = await startOpenVSwitch();
    try {
      ovs.vsctl("add-br", "br0", "--", "add-port", "br0", "p1", "tag=10");
      const shown = () =>
        withConnection(targetOf(ovs), (connection, scope) => connection.exec("ovs-vsctl show", {}, scope));
      expect((await shown()).stdout).toContain("tag: 10");
      ovs.admit(false);
      expect((await shown()).stderr).toContain("Permission denied");
    } finally {
      await ovs.stop();
    }
  });
});

describe.skipIf(needs("dropbear"))("dropbear", () => {
  test("starts a small device with ash, SCP and no SFTP", async () => {
    const device = await startDropbear();
    try {
      await withConnection(targetOf(device), async (connection, scope) => {
        expect(connection.software).toContain("dropbear");
        expect((await connection.exec("echo $0", {}, scope)).stdout).toContain("ash");
        const shell = await connection.shell(size, scope);
        const seen = textOf(shell);
        await seen.has(/patchbay-ash@device:~\$ /);
        shell.write("exit\n");
        await shell.end();
      });
    } finally {
      await device.stop();
    }
  });
});

describe.skipIf(needs("vsftpd"))("vsftpd", () => {
  test("serves uploaded files", async () => {
    const server = await startVsftpd();
    const client = new FtpClient();
    try {
      server.put("a.txt", "hello over ftp\n");
      await client.access({ host: server.host, port: server.port });
      const got: Buffer[] = [];
      const sink = new Writable({
        write(chunk: Buffer, _encoding, done) {
          got.push(chunk);
          done();
        },
      });
      await client.downloadTo(sink, "a.txt");
      expect(Buffer.concat(got).toString()).toBe("hello over ftp\n");
    } finally {
      client.close();
      await server.stop();
    }
  });
});

describe.skipIf(sqldProgram() === undefined)("sqld", () => {
  test("answers a query, and again after a restart on the same port", async () => {
    const first = await startSqld();
    const ask = async (url: string) => {
      const requests = [{ type: "execute", stmt: { sql: "select 6 * 7" } }, { type: "close" }];
      const answer = await fetch(`${url}/v2/pipeline`, {
        method: "POST",
        body: JSON.stringify({ requests }),
      });
      return answer.text();
    };
    expect(await ask(first.url)).toContain('"42"');
    await first.stop();
    const second = await startSqld({ port: first.port });
    expect(second.url).toBe(first.url);
    expect(await ask(second.url)).toContain('"42"');
    await second.stop();
  });
});
