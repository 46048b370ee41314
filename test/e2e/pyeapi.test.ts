/** The driver pyeapi over the API, on a switch that answers as eAPI does, and one that answers as nothing should. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { JobRecord } from "../../src/model/job.ts";
import { type Service, startService, tempFolder } from "../../src/testkit/service.ts";
import { type Switch, startSwitch } from "../drivers/pyeapi/switch.ts";

const password = "canary-eapi-1";
const enable = "canary-enable-1";

describe.each(["http", "https"])("pyeapi over %s", (transport) => {
  let service: Service;
  let device: Switch;
  let certificate: string;
  beforeAll(async () => {
    const folder = tempFolder();
    const files = { key: join(folder, "key.pem"), cert: join(folder, "cert.pem") };
    const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1", "-days", "2"];
    const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", files.key];
    execFileSync("openssl", ["req", "-x509", ...key, "-out", files.cert, ...subject], { stdio: "pipe" });
    certificate = files.cert;
    const tls = { key: readFileSync(files.key, "utf8"), cert: readFileSync(files.cert, "utf8") };
    device = await startSwitch({ password, enable, ...(transport === "https" ? { tls } : {}) });
    service = await startService({ env: { PATCHBAY_KEY_ROOTS: folder, PATCHBAY_AUTH_FAILURES: "0" } });
  });
  afterAll(async () => {
    await service.stop();
    device.close();
  });
  afterEach(() => device.answerWith(undefined));

  const login = (more: object = {}) => ({
    host: "127.0.0.1",
    port: device.port,
    transport,
    username: "admin",
    password,
    enable_password: enable,
    ...more,
  });
  const run = (more: object, connection: object = {}): Promise<JobRecord> =>
    service.run({ driver: "pyeapi", connection_args: login(connection), ...more });

  test("a list is one request behind enable, and each command has its structure", async () => {
    const before = device.asked.length;
    const job = await run({ command: ["show version", "show hostname"] });
    expect(job).toMatchObject({ status: "finished", queue: "fifo", driver: "pyeapi" });
    expect(job.result?.retval).toEqual({
      "show version": { version: "4.31.1F", modelName: "cEOSLab", serialNumber: "SN1" },
      "show hostname": { hostname: "sw1", fqdn: "sw1.test" },
    });
    const lists = device.asked.slice(before).filter((list) => list.length > 1);
    expect(lists).toEqual([[{ cmd: "enable", input: enable }, "show version", "show hostname"]]);
  });

  test("text where it is asked for, and where a command has no JSON; it can be parsed", async () => {
    const job = await run({ command: ["show version", "show clock text", "show hostname"] });
    expect(job.result?.retval).toMatchObject({
      "show version": { version: "4.31.1F" },
      "show clock text": "Sun Nov 22 08:00:00 2026\n",
      "show hostname": { hostname: "sw1" },
    });
    const parsed = await run({
      command: "show version",
      driver_args: { encoding: "text" },
      options: {
        parsing: {
          name: "textfsm",
          template: "Value VERSION (\\S+)\n\nStart\n  ^EOS ${VERSION} -> Record\n",
        },
      },
    });
    expect(parsed.result?.retval).toEqual({ "show version": [{ VERSION: "4.31.1F" }] });
  });

  test("an error in the middle keeps what came before it, in the switch's words", async () => {
    const job = await run({ command: ["show version", "show nonsense", "show hostname"] });
    expect(job.result).toMatchObject({
      type: "failed",
      retval: { "show version": { version: "4.31.1F" } },
      error: {
        type: "CommandError",
        command: "show nonsense",
        code: 1002,
        message:
          "The switch refused \"show nonsense\": Invalid input (at token 0: 'show') (code 1002: the command is not valid)",
      },
    });
  });

  test.each([
    ["a wrong password", { password: "canary-wrong" }, "AuthenticationFailed"],
    ["a wrong enable password", { enable_password: "canary-wrong" }, "AuthenticationFailed"],
    ["a wrong password of a session", { password: "canary-wrong", auth: "session" }, "AuthenticationFailed"],
  ])("%s is told as such and shows nowhere", async (_name, more, type) => {
    const job = await run({ command: "show version" }, more);
    expect(job.result?.error).toMatchObject({ type });
    expect(JSON.stringify(job)).not.toMatch(/canary/);
    expect(service.output()).not.toMatch(/canary/);
  });

  test("a session cookie, and one connection for all jobs of a pinned host", async () => {
    const pinned = { command: "show version", options: { queue_strategy: "pinned" } };
    expect(await run(pinned, { auth: "session" })).toMatchObject({ status: "finished" });
    const before = device.connections();
    expect(await run(pinned, { auth: "session" })).toMatchObject({ status: "finished" });
    expect(device.connections()).toBe(before);
  });

  test("a certificate that must be valid, where there is one", async () => {
    const refused = await run({ command: "show version" }, { verify: true });
    if (transport === "https") expect(refused.result?.error?.message).toContain("certificate");
    else expect(refused.status).toBe("finished");
    const trusted = await run({ command: "show version" }, { verify: true, ca_file: certificate });
    expect(trusted).toMatchObject({ status: "finished" });
  });

  describe("configuration", () => {
    test("line by line, a banner as one, saved", async () => {
      const config = ["vlan 100", "name DATA", "banner motd", "two", "lines", "EOF"];
      const job = await run({ config, driver_args: { save: true } });
      expect(Object.values(job.result?.retval ?? {})).toEqual([
        { diff: null, committed: true, saved: true, output: "" },
      ]);
      expect(device.running.slice(-3)).toEqual(["vlan 100", "name DATA", "banner motd\ntwo\nlines\nEOF"]);
      expect(device.startup).toEqual(device.running);
    });

    test("a refused line is named, and what became of those before it", async () => {
      const job = await run({ config: ["vlan 101", "bogus line", "vlan 102"] });
      expect(job.result?.error).toMatchObject({
        type: "CommandError",
        command: "bogus line",
        message: expect.stringMatching(/1 line before it is in force$/),
      });
      expect(device.running).toContain("vlan 101");
      expect(device.running).not.toContain("vlan 102");
    });

    test("in a session: compared and committed whole", async () => {
      const job = await run({ config: ["vlan 200", "name S"], driver_args: { session: true } });
      expect(Object.values(job.result?.retval ?? {})).toEqual([
        { diff: "+vlan 200\n+name S\n", committed: true, saved: false, output: "" },
      ]);
      expect(device.running.slice(-2)).toEqual(["vlan 200", "name S"]);
      expect(device.sessions.size).toBe(0);
    });

    test("a dry run shows what it would change, and changes nothing", async () => {
      const before = [...device.running];
      const job = await run({ config: "vlan 300", driver_args: { dry_run: true } });
      expect(Object.values(job.result?.retval ?? {})).toMatchObject([
        { diff: "+vlan 300\n", committed: false },
      ]);
      expect([device.running, device.sessions.size]).toEqual([before, 0]);
    });

    test("a refused line in a session leaves the switch as it was", async () => {
      const before = [...device.running];
      const job = await run({ config: ["vlan 301", "bogus"], driver_args: { session: "change-1" } });
      expect(job.result?.error).toMatchObject({ type: "CommandError", command: "bogus" });
      expect(job.result?.error).not.toHaveProperty("outcome");
      expect([device.running, device.sessions.size]).toEqual([before, 0]);
    });

    test("a commit that wants to be confirmed says how", async () => {
      const job = await run({ config: "vlan 400", driver_args: { confirm: 90, session: "change-2" } });
      expect(Object.values(job.result?.retval ?? {})).toMatchObject([
        { committed: true, confirm: { command: "configure session change-2 commit", minutes: 90 } },
      ]);
      expect(device.asked.at(-1)).toContain("commit timer 01:30:00");
    });
  });

  test.each<[string, (response: ServerResponse) => void, string]>([
    ["a page", (response) => response.end("<html>login</html>"), "answered with a page"],
    ["half a JSON", (response) => response.end('{"jsonrpc": "2.0", "resu'), "what is no JSON"],
    ["JSON of something else", (response) => response.end('{"hello": 1}'), "no answer of eAPI"],
    ["nothing", (response) => response.end(), "answered with nothing"],
    [
      "a redirect",
      (response) => response.writeHead(302, { Location: "https://elsewhere.test/" }).end(),
      "elsewhere.test",
    ],
    ["a server error", (response) => response.writeHead(500).end("oops"), "status 500"],
    ["no such path", (response) => response.writeHead(404).end(), "management api http-commands"],
    ["a closed connection", (response) => response.socket?.destroy(), "lost"],
    ["more than is kept", (response) => endless(response), "larger"],
  ])("%s in place of eAPI is told in a sentence", async (_name, answer, words) => {
    device.answerWith(answer);
    const job = await run({ command: "show version" });
    expect(job.status).toBe("failed");
    expect(job.result?.error?.message).toContain(words);
  });

  test("the connection test says what the switch is", async () => {
    const { body } = await service.call("POST", "/device/test-connection", {
      driver: "pyeapi",
      connection_args: login(),
    });
    expect(body.data).toMatchObject({
      success: true,
      device_info: {
        prompt: "sw1#",
        device_type: "arista_eos",
        host: "127.0.0.1",
        version: "4.31.1F",
        model: "cEOSLab",
      },
    });
  });
});

/** Until the other side has had enough. */
function endless(response: ServerResponse): void {
  const chunk = "x".repeat(1024 * 1024);
  const more = () => {
    while (!response.destroyed && response.write(chunk));
    if (!response.destroyed) response.once("drain", more);
  };
  more();
}
