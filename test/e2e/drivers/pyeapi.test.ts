/** The pyeapi driver over the API, on a simulated eAPI switch. */
import { dirname } from "node:path";
import process from "node:process";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { JobRecord } from "../../../src/api/jobs/job.ts";
import { type Service, startService } from "../../../src/testkit/service.ts";
import { type Switch, startSwitch } from "../../drivers/pyeapi/switch.ts";
import { selfSigned } from "../../support/certificates.ts";

const password = "canary-eapi-1";
const enable = "canary-enable-1";

describe.each(["http", "https"])("pyeapi over %s", (transport) => {
  let service: Service;
  let device: Switch;
  let certificate: string;
  beforeAll(async () => {
    const identity = await selfSigned();
    certificate = identity.certFile;
    device = await startSwitch({ password, enable, ...(transport === "https" ? { tls: identity } : {}) });
    service = await startService({
      env: { PATCHBAY_KEY_ROOTS: dirname(certificate), PATCHBAY_AUTH_FAILURES: "0" },
    });
  });
  afterAll(async () => {
    await service.stop();
    device.close();
  });

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

  test("sends a list as one request after enable and returns structured output per command", async () => {
    const before = device.asked.length;
    const job = await run({ command: ["show version", "show hostname"] });
    expect(job).toMatchObject({ status: "finished", queue: "fifo", driver: "pyeapi" });
    expect(job.result?.retval).toEqual({
      "show version": expect.objectContaining({ version: "4.31.1F", modelName: "cEOSLab" }),
      "show hostname": { hostname: "sw1", fqdn: "sw1.test" },
    });
    const lists = device.asked.slice(before).filter((list) => list.length > 1);
    expect(lists).toEqual([[{ cmd: "enable", input: enable }, "show version", "show hostname"]]);
  });

  test("requests revision 1 like pyeapi unless the caller asks for another", async () => {
    const asked = async (driver_args: object) => {
      const before = device.versions.length;
      const job = await run({ command: "show version", driver_args });
      expect(job.status, JSON.stringify(job)).toBe("finished");
      expect(job).not.toHaveProperty("warnings");
      return device.versions.slice(before).at(-1);
    };
    expect(await asked({})).toBe(1);
    expect(await asked({ apiVersion: "latest" })).toBe("latest");
    expect(await asked({ version: "2" })).toBe(2);
    const wrong = { connection_args: login(), command: "x", driver_args: { version: "newest" } };
    expect((await service.call("POST", "/device/execute", { driver: "pyeapi", ...wrong })).status).toBe(422);
  });

  test("returns text if requested or if a command has no JSON, and can parse it", async () => {
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

  test("warns when structured data is parsed as text", async () => {
    const parsing = { name: "ttp", template: "EOS {{ version }}" };
    const job = await run({ command: "show version", parsing });
    expect(job).toMatchObject({
      status: "finished",
      warnings: [expect.stringMatching(/^the output of "show version" is structured data/)],
    });
    const text = await run({ command: "show version", parsing, driver_args: { encoding: "text" } });
    expect(text.result?.retval).toEqual({ "show version": [{ version: "4.31.1F" }] });
    expect(text).not.toHaveProperty("warnings");
  });

  test("extracts a part with the json parser, which reads text as JSON first", async () => {
    const parsing = { name: "json", path: "version" };
    const job = await run({ command: "show version", options: { parsing } });
    expect(job.result).toMatchObject({ type: "success", retval: { "show version": "4.31.1F" } });
    const text = await run({ command: "show version", driver_args: { encoding: "text" }, parsing });
    expect(text.result).toMatchObject({
      retval: { "show version": expect.stringContaining("cEOSLab") },
      error: { type: "ParseError", message: expect.stringContaining("is not JSON") },
    });
    const body = { context: '{"a": [{"b": 2.0}]}', path: "a.*.b" };
    expect(await service.call("POST", "/template/parse/json", body)).toMatchObject({
      status: 200,
      body: { data: [2] },
    });
    const refused = await service.call("POST", "/template/parse/json", { ...body, template: "x" });
    expect(refused.status).toBe(422);
  });

  test("keeps earlier outputs and the switch's message when a command fails", async () => {
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
  ])("reports %s without revealing it", async (_name, more, type) => {
    const job = await run({ command: "show version" }, more);
    expect(job.result?.error).toMatchObject({ type });
    expect(JSON.stringify(job)).not.toMatch(/canary/);
    expect(service.output()).not.toMatch(/canary/);
  });

  test("uses a session cookie and one connection for all jobs of a pinned host", async () => {
    const pinned = { command: "show version", options: { queue_strategy: "pinned" } };
    expect(await run(pinned, { auth: "session" })).toMatchObject({ status: "finished" });
    const before = device.connections();
    expect(await run(pinned, { auth: "session" })).toMatchObject({ status: "finished" });
    // On Deno, each request uses its own connection.
    expect(device.connections() - before > 0).toBe(process.env.TEST_RUNTIME === "deno");
  });

  test("driver_args may set the transport and take precedence", async () => {
    const driver_args = { port: device.port, transport, verify: false };
    const elsewhere = { port: undefined, transport: transport === "http" ? "https" : "http", verify: true };
    const job = await run({ command: "show hostname", driver_args }, elsewhere);
    expect(job.status, JSON.stringify(job)).toBe("finished");
    const body = { driver: "pyeapi", connection_args: login(elsewhere), driver_args };
    const tested = await service.call("POST", "/device/test-connection", body);
    expect(tested.body).toMatchObject({ data: { success: true, error_message: null } });
  });

  test("verifies the certificate if required", async () => {
    const refused = await run({ command: "show version" }, { verify: true });
    if (transport === "https") expect(refused.result?.error?.message).toContain("certificate");
    else expect(refused.status).toBe("finished");
    const trusted = await run({ command: "show version" }, { verify: true, ca_file: certificate });
    expect(trusted).toMatchObject({ status: "finished" });
  });

  describe("configuration", () => {
    test("is sent line by line, with a banner as one command, and saved", async () => {
      const config = ["vlan 100", "name DATA", "banner motd", "two", "lines", "EOF"];
      const job = await run({ config, driver_args: { save: true } });
      expect(Object.values(job.result?.retval ?? {})).toEqual([
        { diff: null, committed: true, saved: true, output: "" },
      ]);
      expect(device.running.slice(-3)).toEqual(["vlan 100", "name DATA", "banner motd\ntwo\nlines\nEOF"]);
      expect(device.startup).toEqual(device.running);
    });

    test("may be pasted from a switch: indented, with comments", async () => {
      const config = "!\nvlan 110\n   name SHOWN\n!\n! by hand\nvlan 111\n";
      expect(await run({ config })).toMatchObject({ status: "finished" });
      expect(device.running.slice(-3)).toEqual(["vlan 110", "name SHOWN", "vlan 111"]);
    });

    test("names a rejected line and the outcome of earlier ones", async () => {
      const job = await run({ config: ["vlan 101", "bogus line", "vlan 102"] });
      expect(job.result?.error).toMatchObject({
        type: "CommandError",
        command: "bogus line",
        message: expect.stringMatching(/1 line before it is active$/),
      });
      expect(device.running).toContain("vlan 101");
      expect(device.running).not.toContain("vlan 102");
    });

    test("is compared and committed as a whole in a session", async () => {
      const job = await run({ config: ["vlan 200", "name S"], driver_args: { session: true } });
      expect(Object.values(job.result?.retval ?? {})).toEqual([
        { diff: "+vlan 200\n+name S\n", committed: true, saved: false, output: "" },
      ]);
      expect(device.running.slice(-2)).toEqual(["vlan 200", "name S"]);
      expect(device.sessions.size).toBe(0);
    });

    test("shows its changes in a dry run without applying them", async () => {
      const before = [...device.running];
      const job = await run({ config: "vlan 300", driver_args: { dry_run: true } });
      expect(Object.values(job.result?.retval ?? {})).toMatchObject([
        { diff: "+vlan 300\n", committed: false },
      ]);
      expect([device.running, device.sessions.size]).toEqual([before, 0]);
    });

    test("leaves the switch unchanged if a line in a session is rejected", async () => {
      const before = [...device.running];
      const job = await run({ config: ["vlan 301", "bogus"], driver_args: { session: "change-1" } });
      expect(job.result?.error).toMatchObject({ type: "CommandError", command: "bogus" });
      expect(job.result?.error).not.toHaveProperty("outcome");
      expect([device.running, device.sessions.size]).toEqual([before, 0]);
    });

    test("with a confirmed commit reports how to confirm it", async () => {
      const job = await run({ config: "vlan 400", driver_args: { confirm: 90, session: "change-2" } });
      expect(Object.values(job.result?.retval ?? {})).toMatchObject([
        { committed: true, confirm: { command: "configure session change-2 commit", minutes: 90 } },
      ]);
      expect(device.asked.at(-1)).toContain("commit timer 01:30:00");
    });
  });

  test("a connection test reports the model of the switch", async () => {
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
