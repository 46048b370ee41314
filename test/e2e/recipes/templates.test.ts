/**
 * Templates through the service: built-in and installed sets, guarded sources, and hostile ones that harm
 * nobody.
 */
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import process from "node:process";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { needs } from "../../../scripts/testbed/catalogue.ts";
import { startVsftpd } from "../../../scripts/testbed/vsftpd.ts";
import { programOf, type Service, startService, tempFolder } from "../../../src/testkit/service.ts";
import { type SimulatedDevice, simulated } from "../devices.ts";

const [program, ...begin] = programOf();

/** A template set as the community's repository has it. */
function writeSet(folder: string): void {
  const set = join(folder, "ntc_templates", "templates");
  mkdirSync(set, { recursive: true });
  writeFileSync(
    join(set, "index"),
    "Template, Hostname, Platform, Command\n\ncisco_ios_show_clock.textfsm, .*, cisco_ios, sh[[ow]] clo[[ck]]\n",
  );
  writeFileSync(
    join(set, "cisco_ios_show_clock.textfsm"),
    "Value MONTH (\\w+)\nValue DAY (\\d+)\n\nStart\n  ^\\S+ \\w+ \\w+ ${MONTH} ${DAY} -> Record\n",
  );
}

describe("templates", () => {
  let service: Service;
  let device: SimulatedDevice;
  const dataDir = tempFolder();

  beforeAll(async () => {
    mkdirSync(join(dataDir, "templates"), { recursive: true });
    writeFileSync(join(dataDir, "templates", "base.j2"), "hostname {{ name }}");
    writeFileSync(join(dataDir, "templates", "own.eta"), "hostname <%= it.name %>");
    device = await simulated("cisco_ios", { hostname: "SW1" });
    service = await startService({
      dataDir,
      env: { PATCHBAY_URL_ALLOW: "127.0.0.1", PATCHBAY_TEMPLATE_SECONDS: "2" },
    });
  });
  afterAll(async () => {
    await service.stop();
    await device.stop();
  });

  const render = (body: object, path = "") => service.call<unknown>("POST", `/template/render${path}`, body);
  const parse = (body: object, path = "") => service.call<unknown>("POST", `/template/parse${path}`, body);
  const job = (more: object) =>
    service.run({
      driver: "netmiko",
      connection_args: device.connection,
      ...more,
    });

  test("parses a query with the starter set, also by netmiko's own arguments", async () => {
    const parsed = await job({ command: "show version", parsing: { name: "textfsm" } });
    expect(parsed.result?.retval?.["show version"]).toMatchObject([
      { hostname: "SW1", version: "15.2(4)E8" },
    ]);
    const named = await job({
      command: ["show version", "show nothing at all"],
      driver_args: { use_textfsm: true },
    });
    expect(named.result?.retval?.["show version"]).toMatchObject([{ hostname: "SW1" }]);
    expect(typeof named.result?.retval?.["show nothing at all"]).toBe("string");
  });

  test("fails a job whose template does not match and keeps the text", async () => {
    const failed = await job({
      command: "show clock",
      parsing: { name: "textfsm", template: "Value A (x)\n\nStart\n  ^. -> Error\n" },
    });
    expect(failed).toMatchObject({ status: "failed", result: { error: { type: "ParseError" } } });
    expect(String(failed.result?.retval?.["show clock"])).toContain("UTC");
  });

  test("returns template warnings beside the data, and as errors with strict", async () => {
    const template = "hostname {{ name | to_in }}";
    const warnings = [
      expect.stringContaining("line 1: unknown function 'to_in': did you mean to_ip, to_int"),
    ];
    const request = { name: "ttp", template, context: "hostname r1\n" };
    const data = [{ name: "r1" }];
    expect((await parse(request)).body).toEqual({ code: 200, message: "success", data, warnings });
    for (const strict of [{ strict: true }, { args: { strict: true } }])
      expect(await parse({ ...request, ...strict })).toMatchObject({
        status: 400,
        body: { code: -1, message: expect.stringContaining("unknown function 'to_in'") },
      });
    const rendered = await render({ template: "mtu {{ mtu }}" });
    expect(rendered.body).toMatchObject({
      data: "mtu ",
      warnings: ["line 1: 'mtu' is undefined and prints nothing"],
    });
    expect((await render({ template: "mtu {{ mtu }}", strict: true })).status).toBe(400);
  });

  test("records template warnings once in the job", async () => {
    const template = '{{ time | re("\\S+") | to_in }} {{ zone }} {{ rest | PHRASE }}';
    const commands = ["show clock", "show version"];
    const queried = await job({ command: commands, parsing: { name: "ttp", template } });
    expect(queried).toMatchObject({
      status: "finished",
      warnings: [expect.stringContaining("unknown function 'to_in'")],
    });
    const strict = await job({ command: commands, parsing: { name: "ttp", template, strict: true } });
    expect(strict).toMatchObject({ status: "failed", result: { error: { type: "ParseError" } } });
    const rendering = { name: "jinja2", template: "interface Loopback{{ id }}\n description {{ text }}" };
    const pushed = await job({ config: { id: 7 }, rendering, driver_args: { dry_run: true } });
    expect(pushed).toMatchObject({
      status: "finished",
      warnings: ["line 2: 'text' is undefined and prints nothing"],
    });
    const refused = await job({ config: { id: 7 }, rendering: { ...rendering, strict: true } });
    expect(refused).toMatchObject({ status: "failed", result: { error: { type: "RenderError" } } });
  });

  test("keeps the order and number types of a context; dry_run sends nothing", async () => {
    const body = `{"name":"jinja2","template":"{{ d }}","context":{"d":{"20":1.0,"3":[1,2.50],"10":true}}}`;
    expect((await service.call("POST", "/template/render", body)).body.data).toBe(
      "{'20': 1.0, '3': [1, 2.5], '10': True}",
    );
    const before = device.commands().length;
    const dry = await job({
      config: { id: 7 },
      rendering: { name: "jinja2", template: "interface Loopback{{ id }}" },
      driver_args: { dry_run: true },
    });
    expect(dry.status).toBe("finished");
    expect(device.commands().slice(before)).not.toContain("interface Loopback7");
  });

  test("finds an installed community set by platform and command without a restart", async () => {
    const repository = tempFolder();
    writeSet(repository);
    const env = { PATH: process.env.PATH, PATCHBAY_DATA_DIR: dataDir };
    const installed = spawnSync(program, [...begin, "templates", "install", repository], {
      encoding: "utf8",
      env,
    });
    expect(installed.stderr).toBe("");
    expect(installed.stdout).toMatch(/Installed 1 template/);
    const answer = await parse({
      name: "textfsm",
      use_ntc_template: true,
      ntc_template_args: { platform: "cisco_ios", command: "sh clock" },
      context: "*18:57:38.177 UTC Mon Oct 19 2015",
    });
    expect(answer.body).toMatchObject({ code: 200, data: [{ month: "Oct", day: "19" }] });
  });

  test("installs nothing that a link in a set leads to", () => {
    const [repository, elsewhere] = [tempFolder(), tempFolder()];
    writeSet(elsewhere);
    symlinkSync(join(elsewhere, "ntc_templates"), join(repository, "ntc_templates"));
    symlinkSync(repository, join(repository, "loop"));
    const installed = spawnSync(program, [...begin, "templates", "install", repository], {
      encoding: "utf8",
      env: { PATH: process.env.PATH, PATCHBAY_DATA_DIR: tempFolder() },
    });
    expect([installed.status, installed.stdout]).toEqual([1, ""]);
    expect(installed.stderr).toContain("No template set was found");
  });

  test.each([
    [
      "a catastrophic expression",
      {
        name: "textfsm",
        template: "Value A ((x+x+)+y)\n\nStart\n  ^${A}$$ -> Record\n",
        context: "x".repeat(5_000),
      },
      "/textfsm",
    ],
    [
      "an XML bomb",
      {
        name: "ttp",
        template: '<!DOCTYPE a [<!ENTITY b "bbbb"><!ENTITY c "&b;&b;&b;">]><group>{{ a }}&c;</group>',
        context: "x",
      },
      "/ttp",
    ],
  ])("%s returns an answer and does not hang", async (_name, body, path) => {
    const answer = await parse(body, path);
    expect([200, 400]).toContain(answer.status);
    expect((await service.call("GET", "/health")).status).toBe(200);
  });

  test.each([
    "{% for i in range(10**9) %}{% endfor %}",
    "{{ 'x' * 10**10 }}",
    "{{ (10**1000)**(10**6) }}",
    "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
    "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}",
  ])("rejects %s with a reason", async (template) => {
    const answer = await render({ template, context: {} }, "/jinja2");
    expect(answer.status).toBe(400);
    expect(JSON.stringify(answer.body)).toMatch(/TemplateLimit|TemplateTimeout|stopped|TemplateRuntime/);
  });

  test.each([
    "{{ ''.__class__ }}",
    "{{ {}.constructor }}",
    "{{ [].constructor.constructor }}",
    "{{ self.__init__ }}",
  ])("%s gains no access", async (template) => {
    const answer = await render({ template, context: {} }, "/jinja2");
    expect(JSON.stringify(answer.body.data)).not.toMatch(/function|native code|<class/);
  });

  test("reads sources over http and below the template roots only; eta only from there", async () => {
    const server = createServer((_, response) => response.end("hostname {{ name }}")).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as { port: number };
    const context = { name: "r1" };
    expect((await render({ template: `http://127.0.0.1:${port}/t`, context }, "/jinja2")).body.data).toBe(
      "hostname r1",
    );
    server.close();
    expect(
      (await render({ template: `file://${dataDir}/templates/base.j2`, context }, "/jinja2")).body.data,
    ).toBe("hostname r1");
    expect(
      (await render({ template: `file://${dataDir}/templates/own.eta`, context }, "/eta")).body.data,
    ).toBe("hostname r1");
    expect((await render({ template: "hostname <%= 1 %>", context }, "/eta")).status).not.toBe(200);
    for (const template of [
      "file:///etc/passwd",
      "FILE:///etc/passwd",
      `file://${dataDir}/templates/../master.key`,
      "http://169.254.169.254/",
    ]) {
      const refused = await render({ template, context }, "/jinja2");
      expect(refused.body.code).toBe(-1);
      expect(JSON.stringify(refused.body)).not.toContain("root:");
    }
  });

  test.skipIf(needs("vsftpd"))("reads a template by ftp from a real server", async () => {
    const ftp = await startVsftpd();
    try {
      ftp.put("t.j2", "hostname {{ name }}");
      const answer = await render(
        { template: `ftp://127.0.0.1:${ftp.port}/t.j2`, context: { name: "r2" } },
        "/jinja2",
      );
      expect(answer.body.data).toBe("hostname r2");
    } finally {
      await ftp.stop();
    }
  });

  test("detects the engine, and rejects names that disagree", async () => {
    expect((await parse({ template: "interface {{ name }}", context: "interface lo0" })).body.data).toEqual([
      { name: "lo0" },
    ]);
    expect(
      (await parse({ template: "Value A (\\S+)\n\nStart\n  ^${A} -> Record\n", context: "x" })).body.data,
    ).toEqual([{ A: "x" }]);
    expect((await parse({ template: "nothing of the kind", context: "x" })).status).toBe(400);
    expect((await parse({ name: "ttp", template: "x", context: "x" }, "/textfsm")).status).toBe(422);
    expect((await render({ template: "x", context: {} }, "/nope")).status).toBe(404);
  });
});
