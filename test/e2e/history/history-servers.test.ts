/** The history of real servers: files of Debian and of BIRD, and Open vSwitch, over OpenSSH, changed by hand. */
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Bird, startBird } from "../../../scripts/testbed/bird.ts";
import { needs } from "../../../scripts/testbed/catalogue.ts";
import { type Sshd, startSshd } from "../../../scripts/testbed/openssh.ts";
import { type OpenVSwitch, startOpenVSwitch } from "../../../scripts/testbed/openvswitch.ts";
import type { ChangeDetail, ChangeTarget } from "../../../src/api/changes/change.ts";
import { type Service, startService } from "../../../src/testkit/service.ts";
import { type HeldLine, heldLine } from "../drivers/held-line.ts";
import { type Kept, keptBy } from "./history-places.ts";

describe.skipIf(needs("openssh", "git"))("files of a server", () => {
  let service: Service;
  let server: Sshd;
  let kept: Kept;
  let etc: string;
  const inEtc = (name: string) => join(etc, name);
  const secrets = ["canary-wpa-1", "canary-wep-2", "canary-eap-3", "canary-frr-4"];
  let keyLine = "";

  beforeAll(async () => {
    [server, service] = await Promise.all([startSshd(), startService()]);
    kept = keptBy(service);
    etc = server.folder;
    chmodSync(etc, 0o755);
    mkdirSync(inEtc("interfaces.d"));
    writeFileSync(inEtc("interfaces"), "auto lo\niface lo inet loopback\nsource interfaces.d/*\n");
    writeFileSync(inEtc("interfaces.d/wlan0"), `iface wlan0 inet dhcp\n    wpa-psk ${secrets[0]}\n`);
    writeFileSync(
      inEtc("wpa.conf"),
      `network={\n\tssid="office"\n\twep_key0="${secrets[1]}"\n\tpassword="${secrets[2]}"\n}\n`,
    );
    writeFileSync(
      inEtc("frr.conf"),
      `hostname srv\nrouter bgp 1\n neighbor 192.0.2.9 password ${secrets[3]}\n`,
    );
    execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", "srv", "-f", inEtc("id_key")]);
    chmodSync(inEtc("id_key"), 0o644);
    keyLine = readFileSync(inEtc("id_key"), "utf8").split("\n")[1] ?? "";
    const names = ["interfaces", "interfaces.d", "*.conf", "id_key"];
    const vars = { config_files: names.map(inEtc) };
    await kept.add("srv-1", server, { driver: "paramiko", vars });
    await kept.add("srv-2", server, { platform: "linux", vars });
  });
  afterAll(async () => {
    await service.close();
    await server.stop();
  });

  test("are one text, the same over a terminal and without one, with marks for their secrets", async () => {
    const [first, second] = [await kept.taken("srv-1"), await kept.taken("srv-2")];
    expect(second.sha256).toBe(first.sha256);
    const text = await kept.text("srv-1");
    const mark = "<secret \\w{6}>";
    expect(text).toMatch(
      new RegExp(`wpa-psk ${mark}\n[^]*wep_key0="${mark}"[^]*BEGIN OPENSSH PRIVATE KEY-+\n${mark}\n-`),
    );
    const opened = await service.call<{ text: string }>("GET", "/history/device/srv-1/1?secrets=true");
    const files = ["interfaces", "interfaces.d/wlan0", "frr.conf", "wpa.conf", "id_key"];
    const shown = files.map((name) => `# file: ${inEtc(name)}\n${readFileSync(inEtc(name), "utf8")}\n`);
    expect(opened.body.data.text).toBe(`${shown.join("")}# end of files\n`);
    for (const name of ["srv-1", "srv-2"]) await kept.hides(name, [...secrets, keyLine]);
  });

  test("are edited: the difference is the edit, a new file is one, and a rotated secret is its line", async () => {
    writeFileSync(inEtc("interfaces"), "auto lo eth0\niface lo inet loopback\nsource interfaces.d/*\n");
    writeFileSync(inEtc("interfaces.d/wlan0"), "iface wlan0 inet dhcp\n    wpa-psk canary-new-1\n");
    writeFileSync(inEtc("interfaces.d/wlan1"), "iface wlan1 inet dhcp\n");
    for (const name of ["srv-1", "srv-2"]) {
      expect(await kept.taken(name)).toMatchObject({ version: 2 });
      expect(await kept.changed(name)).toEqual([
        "-auto lo",
        "+auto lo eth0",
        expect.stringMatching(/^- {4}wpa-psk <secret \w{6}>$/),
        expect.stringMatching(/^\+ {4}wpa-psk <secret \w{6}>$/),
        "+",
        `+# file: ${inEtc("interfaces.d/wlan1")}`,
        "+iface wlan1 inet dhcp",
      ]);
      await kept.hides(name, [...secrets, "canary-new-1", keyLine]);
    }
  });

  test("are not whole if one that was named may not be read or is gone: suspect, with the sentence", async () => {
    chmodSync(inEtc("interfaces"), 0o600);
    for (const name of ["srv-1", "srv-2"]) {
      expect((await kept.take(name)).status).toBe("finished");
      const [version] = await kept.versions(name);
      const reason = expect.stringContaining(`${inEtc("interfaces")} may not be read`);
      expect(version).toMatchObject({ version: 3, state: "suspect", reason });
      expect(await kept.device(name)).toMatchObject({ latest: { version: 2 }, suspects: 1 });
      expect(await kept.text(name)).toContain("auto lo eth0");
    }
    rmSync(inEtc("interfaces"));
    await kept.take("srv-1");
    const [gone] = await kept.versions("srv-1");
    expect(gone?.reason).toContain(`${inEtc("interfaces")} is absent`);
    writeFileSync(inEtc("interfaces"), "auto lo eth0\niface lo inet loopback\nsource interfaces.d/*\n");
    await kept.take("srv-1");
    expect(await kept.device("srv-1")).toMatchObject({ latest: { version: 2 }, suspects: 0 });
  });

  test("are named by absolute paths", async () => {
    await kept.add("srv-4", server, { driver: "paramiko", vars: { config_files: inEtc("frr.conf") } });
    await kept.taken("srv-4");
    expect(await kept.text("srv-4")).toMatch(/^# file: .*frr\.conf\n/);
    for (const config_files of ["etc/hosts", 7, [], ["/etc/hosts", null], "/etc/hosts\n/etc/shadow"]) {
      await kept.add("srv-5", server, { driver: "paramiko", vars: { config_files } });
      const { body } = await service.call<object>("POST", "/history/take", { device: "srv-5" });
      expect(JSON.stringify(body)).toContain("must be an absolute path on the server, or a list of them");
    }
  });

  test("that nobody named are those that systems have: this machine's own", async () => {
    await kept.add("srv-3", server, { driver: "paramiko" });
    await kept.taken("srv-3");
    const text = await kept.text("srv-3");
    expect(text).toContain(`# file: /etc/hostname\n${readFileSync("/etc/hostname", "utf8").trim()}\n`);
    expect(text).toMatch(/\n# end of files\n$/);
  });
});

describe.skipIf(needs("openssh", "git"))("files of a server that are put back", () => {
  const secrets = ["canary-wpa-1", "canary-frr-2", "canary-other-3"];
  let service: Service;
  let server: Sshd;
  let kept: Kept;
  let etc: string;
  const inEtc = (name: string) => join(etc, name);
  const read = (name: string) => readFileSync(inEtc(name), "utf8");

  beforeAll(async () => {
    [server, service] = await Promise.all([startSshd(), startService()]);
    kept = keptBy(service);
    chmodSync(server.folder, 0o755);
    etc = join(server.folder, "etc");
    mkdirSync(inEtc("conf.d"), { recursive: true });
    writeFileSync(inEtc("interfaces"), "auto lo\n\niface lo inet loopback");
    writeFileSync(inEtc("conf.d/wlan0"), `iface wlan0 inet dhcp\n    wpa-psk ${secrets[0]}\n\n`);
    writeFileSync(inEtc("frr.conf"), `router bgp 1\n neighbor 192.0.2.9 password ${secrets[1]}\n`);
    writeFileSync(inEtc("empty.conf"), "");
    symlinkSync("frr.conf", inEtc("linked"));
    chmodSync(inEtc("conf.d/wlan0"), 0o640);
    execFileSync("chown", ["-R", server.user, etc]);
    const vars = { config_files: ["interfaces", "conf.d", "*.conf", "linked"].map(inEtc) };
    await kept.add("srv-1", server, { driver: "paramiko", vars });
  });
  afterAll(async () => {
    await service.close();
    await server.stop();
  });

  /** By a change, which ends like this. */
  async function putBack(name: string, version: number, end: string, more = {}): Promise<ChangeDetail> {
    const body = { name, devices: ["srv-1"], restore: { version }, approvals: { count: 0 }, ...more };
    const created = await service.call<{ id: string }>("POST", "/change", body);
    expect(created.status, JSON.stringify(created.body)).toBe(201);
    const { id } = created.body.data;
    const change = async () => (await service.call<ChangeDetail>("GET", `/change/${id}`)).body.data;
    const state = async () => (await change()).state;
    for (const word of ["plan", "start"]) {
      const said = await service.call("POST", `/change/${id}/${word}`, {});
      expect(said.status, JSON.stringify(said.body)).toBe(200);
      if (word === "plan") await expect.poll(state).toBe("approved");
    }
    await expect.poll(state, { timeout: 60_000 }).toBe(end);
    for (const secret of secrets) expect(JSON.stringify(await change())).not.toContain(secret);
    return change();
  }

  test("are what they were, with modes, links and secrets, by a change whose script shows no secret", async () => {
    const wanted = await kept.taken("srv-1");
    const [wlan, frr] = [read("conf.d/wlan0"), read("frr.conf")];
    writeFileSync(inEtc("conf.d/wlan0"), `iface wlan0 inet dhcp\n    wpa-psk ${secrets[2]}\n`);
    writeFileSync(inEtc("frr.conf"), "END-OF-FILE\n$HOME `id`\n");
    writeFileSync(inEtc("it's.conf"), "new\n");
    rmSync(inEtc("empty.conf"));
    const other = await kept.taken("srv-1");
    const draft = await kept.restore("srv-1", wanted.version);
    const driver_args = { fail_on_error: true };
    expect(draft).toMatchObject({ way: "files", driver: "paramiko", driver_args, job: null });
    expect(draft.lines).toContain(`# rm -f -- '${etc}/it'\\''s.conf'`);
    expect(draft.lines.filter((line) => line.startsWith("put '"))).toHaveLength(4);
    expect(draft.warnings.join("\n")).toMatch(/are comments[\s\S]*blanks at the ends of lines/);
    for (const secret of secrets) expect(JSON.stringify(draft)).not.toContain(secret);

    await putBack("back", wanted.version, "done");

    expect(read("conf.d/wlan0")).toBe(wlan);
    expect(statSync(inEtc("conf.d/wlan0")).mode & 0o777).toBe(0o640);
    expect([read("frr.conf"), read("empty.conf")]).toEqual([frr, ""]);
    expect(readlinkSync(inEtc("linked"))).toBe("frr.conf");
    expect(readdirSync(etc).sort()).toEqual(
      ["conf.d", "empty.conf", "frr.conf", "interfaces", "it's.conf", "linked"].sort(),
    );
    // What the version does not have stays, until somebody says that it goes.
    expect(read("it's.conf")).toBe("new\n");
    rmSync(inEtc("it's.conf"));
    await kept.take("srv-1");
    expect((await kept.device("srv-1")).latest).toMatchObject({ sha256: wanted.sha256 });
    await kept.hides("srv-1", secrets);
    const forth = await kept.restore("srv-1", other.version);
    expect(forth.lines).toContain("END-OF-FILE-2");
  });

  test("fail the job and the change with the error of the script, and leave what was there", async () => {
    const wanted = await kept.taken("srv-1");
    const before = `iface wlan0 inet manual\n    wpa-psk ${secrets[2]}\n`;
    writeFileSync(inEtc("conf.d/wlan0"), before);
    await kept.taken("srv-1");
    // The account may write the file, but no other one beside it.
    chmodSync(inEtc("conf.d"), 0o555);
    try {
      const { id } = await putBack("not-back", wanted.version, "stopped", { on_stop: "keep" });
      const { body } = await service.call<ChangeTarget[]>("GET", `/change/${id}/target`);
      const error = /^The script ended with exit status 1: mktemp: .*Permission denied/;
      const [target] = body.data;
      expect(target).toMatchObject({ reason: expect.stringMatching(error.source.slice(1)) });
      const job = await service.ended(target?.job_id ?? "");
      expect(job.status).toBe("failed");
      expect(job.result?.error).toMatchObject({
        type: "CommandError",
        message: expect.stringMatching(error),
      });
    } finally {
      chmodSync(inEtc("conf.d"), 0o755);
    }
    expect(read("conf.d/wlan0")).toBe(before);
    expect(readdirSync(inEtc("conf.d"))).toEqual(["wlan0"]);
    await kept.hides("srv-1", secrets);
  });
});

describe.skipIf(needs("openssh"))("a long file of a server", () => {
  let service: Service;
  let server: Sshd;
  let line: HeldLine;
  let kept: Kept;
  beforeAll(async () => {
    [server, service] = await Promise.all([startSshd(), startService()]);
    line = await heldLine(server.port);
    kept = keptBy(service);
    const file = join(server.folder, "long.conf");
    // More than a channel of SSH carries before it is told that the data arrived.
    const lines = Array.from({ length: 40_000 }, (_, at) => `address ${at} ${"x".repeat(80)}`);
    writeFileSync(file, `${lines.join("\n")}\n`);
    const vars = { config_files: file };
    const place = { ...server, port: line.port };
    await kept.add("exec", place, { driver: "paramiko", vars });
    await kept.add("terminal", place, { platform: "linux", vars });
    for (const name of ["exec", "terminal"]) await kept.taken(name);
  });
  afterAll(async () => {
    line.close();
    await service.close();
    await server.stop();
  });

  const called = (name: string) =>
    server.sessions().filter((pid) => readFileSync(`/proc/${pid}/comm`, "utf8").trim() === name);

  test.for([
    ["exec", "its session"],
    ["exec", "the command that shows it"],
    ["terminal", "its session"],
    ["terminal", "the command that shows it"],
  ] as const)("(%s) is never good if %s is killed in the middle of it", async ([name, what]) => {
    const before = (await kept.device(name)).latest;
    const held = line.holdAfter(100_000);
    const taking = kept.take(name);
    await held;
    if (what === "its session") server.killSessions();
    else for (const pid of [...called("sh"), ...called("cat")]) process.kill(pid, "SIGKILL");
    line.release();
    const job = await taking;
    const [newest] = await kept.versions(name);
    if (what === "its session") {
      expect([job.status, job.result?.error?.type]).toEqual(["failed", "ConnectionLost"]);
      expect(newest).toMatchObject({ state: "good", version: before?.version });
    } else {
      expect(job.status).toBe("finished");
      expect(newest).toMatchObject({ state: "suspect", reason: expect.stringContaining("does not end") });
    }
    expect((await kept.device(name)).latest).toMatchObject({ version: 1, sha256: before?.sha256 });
    await kept.take(name);
    expect(await kept.device(name)).toMatchObject({ suspects: 0, error: null, latest: { version: 1 } });
  });
});

describe.skipIf(needs("bird", "git"))("BIRD", () => {
  const text = (bgp: string, more = "") => `router id 192.0.2.1;
protocol device {}
protocol static { ipv4; route 192.0.2.0/24 blackhole; }
protocol bgp uplink {
	local 192.0.2.1 as 65001;
	neighbor 192.0.2.9 as 65002;
	password "${bgp}";
	ipv4 { import all; export all; };
}
protocol ospf v2 core {
	area 0 {
		interface "lo" {
			authentication cryptographic;
			password "canary ospf 2" { id 1; algorithm hmac sha256; };
			password "canary ospf 3" { id 2; };
		};
	};
}
${more}`;
  let service: Service;
  let bird: Bird;
  let kept: Kept;
  beforeAll(async () => {
    [bird, service] = await Promise.all([startBird(text("canary-bgp-1")), startService()]);
    kept = keptBy(service);
    await kept.add("bird-1", bird, { platform: "linux", vars: { config_files: [bird.file] } });
  });
  afterAll(async () => {
    await service.close();
    await bird.stop();
  });

  test("has versions of its file, without its secrets", async () => {
    await kept.taken("bird-1");
    expect((await kept.text("bird-1")).match(/password "<secret \w{6}>"/g)).toHaveLength(3);
    bird.configure(text("canary-bgp-1", "protocol kernel { disabled; ipv4 { export none; }; }\n"));
    await kept.taken("bird-1");
    expect(await kept.changed("bird-1")).toEqual(["+protocol kernel { disabled; ipv4 { export none; }; }"]);
    bird.configure(bird.configuration().replace("canary-bgp-1", "canary-new-1"));
    await kept.taken("bird-1");
    const lines = await kept.changed("bird-1");
    expect(lines).toEqual([
      expect.stringMatching(/^-\tpassword "<secret \w{6}>";$/),
      expect.stringMatching(/^\+\tpassword "<secret \w{6}>";$/),
    ]);
    expect(lines[0]?.slice(1)).not.toBe(lines[1]?.slice(1));
    await kept.hides("bird-1", ["canary-bgp-1", "canary-new-1", "canary ospf 2", "canary ospf 3"]);
  });
});

describe.skipIf(needs("openvswitch", "git"))("Open vSwitch", () => {
  let service: Service;
  let ovs: OpenVSwitch;
  let kept: Kept;
  beforeAll(async () => {
    [ovs, service] = await Promise.all([startOpenVSwitch(), startService()]);
    kept = keptBy(service);
    ovs.vsctl("add-br", "br0", "--", "add-port", "br0", "p1", "tag=10");
    ovs.vsctl("set-controller", "br0", "tcp:127.0.0.1:6653", "--", "set-fail-mode", "br0", "secure");
    const tunnel = ["set", "interface", "tun", "type=gre", "options:remote_ip=192.0.2.1"];
    ovs.vsctl("add-port", "br0", "tun", "--", ...tunnel, "options:psk=canary-psk-1");
    await kept.add("ovs-1", ovs, { platform: "ovs_linux" });
  });
  afterAll(async () => {
    await service.close();
    await ovs.stop();
  });

  test("has versions of its bridges, ports and what is set on them, without secrets", async () => {
    await kept.taken("ovs-1");
    expect(await kept.text("ovs-1")).toContain(ovs.vsctl("show").split("\n").slice(0, 5).join("\n"));
    expect(await kept.taken("ovs-1")).toMatchObject({ version: 1 });
    ovs.vsctl("set", "port", "p1", "tag=20", "--", "set", "bridge", "br0", "stp_enable=true");
    await kept.taken("ovs-1");
    expect(await kept.changed("ovs-1")).toEqual([
      ...["-            tag: 10", "+            tag: 20"],
      ...["-stp_enable          : false", "+stp_enable          : true"],
    ]);
    ovs.vsctl("set", "interface", "tun", "options:psk=canary-new-1");
    await kept.taken("ovs-1");
    const line = expect.stringMatching(/^[+-] +options: \{psk=<secret \w{6}>, remote_ip="192\.0\.2\.1"\}$/);
    expect(await kept.changed("ovs-1")).toEqual([line, line]);
    await kept.hides("ovs-1", ["canary-psk-1", "canary-new-1"]);
  });

  test("of which the account may not see anything is suspect, and the last good version stays the latest", async () => {
    const before = (await kept.device("ovs-1")).latest;
    ovs.admit(false);
    await kept.take("ovs-1");
    const [version] = await kept.versions("ovs-1");
    expect(version).toMatchObject({ state: "suspect", reason: expect.stringContaining("Permission denied") });
    expect((await kept.device("ovs-1")).latest).toMatchObject({ version: before?.version });
    ovs.admit(true);
    await kept.take("ovs-1");
    expect(await kept.device("ovs-1")).toMatchObject({ suspects: 0, latest: { version: before?.version } });
  });
});
