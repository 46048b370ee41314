import { describe, expect, test } from "vitest";
import plugin from "../../../plugins/drivers/netmiko/plugin.ts";
import { Secret } from "../../../src/base/secrets/secret.ts";
import type { Schema } from "../../../src/plugin/index.ts";
import { fieldsOf } from "../../../src/registry/fields.ts";

async function check(schema: Schema, value: unknown) {
  const result = await schema["~standard"].validate(value);
  if (result.issues === undefined) return { value: result.value, issues: [] };
  return {
    value: undefined,
    issues: result.issues.map(
      ({ path, message }) =>
        `${(path ?? []).map((step) => (typeof step === "object" ? String(step.key) : String(step))).join(".")}: ${message}`,
    ),
  };
}

const least = { device_type: "cisco_ios", host: "10.0.0.1", username: "admin", password: "hunter22" };

describe("netmiko connection_args", () => {
  test("get the documented defaults", async () => {
    const { value } = await check(plugin.connection, least);
    expect(value).toMatchObject({
      deviceType: "cisco_ios",
      transport: "ssh",
      host: "10.0.0.1",
      port: 22,
      timeoutMs: 20_000,
      keepaliveMs: 60_000,
      delayFactor: 1,
      enable: true,
      hostKeyPolicy: "auto_add",
    });
  });

  test("hold secrets in a type that does not print", async () => {
    const { value } = await check(plugin.connection, { ...least, secret: "enableme", pkey: "-----BEGIN" });
    expect(JSON.stringify(value)).not.toMatch(/hunter22|enableme|BEGIN/);
    const { password } = value as { password: unknown };
    expect(password instanceof Secret && password.reveal()).toBe("hunter22");
  });

  test.each([
    ["a port as text", { port: "2222" }, { port: 2222 }],
    ["hostname for host", { host: undefined, hostname: "r1.lab" }, { host: "r1.lab" }],
    ["both names of one host", { hostname: "10.0.0.1" }, { host: "10.0.0.1" }],
    ["IPv6", { host: "2001:db8::1" }, { host: "2001:db8::1" }],
    ["null for a default", { port: null, secret: null, timeout: null }, { port: 22, timeoutMs: 20_000 }],
    ["telnet", { device_type: "cisco_ios_telnet" }, { transport: "telnet", port: 23 }],
    ["a key instead of a password", { password: undefined, key_file: "id_ed25519" }, { port: 22 }],
    ["ssh_strict", { ssh_strict: true }, { hostKeyPolicy: "reject" }],
    [
      "a jump host",
      { proxy_host: "jump", proxy_port: "2200" },
      { route: { hops: [{ host: "jump", port: 2200 }] } },
    ],
    [
      "a credential instead of a login",
      { username: undefined, password: undefined, credential: { name: "file" } },
      {},
    ],
  ])("accept %s", async (_, given, expected) => {
    const { value, issues } = await check(plugin.connection, { ...least, ...given });
    expect(issues).toEqual([]);
    expect(value).toMatchObject(expected);
  });

  test.each([
    ["no host", { host: undefined }, "host: is missing"],
    ["no user", { username: undefined }, "username: is missing"],
    ["no password", { password: undefined }, "password: is missing"],
    ["two hosts", { hostname: "10.0.0.2" }, "hostname: differs from host"],
    [
      "a line end in the password",
      { password: "a\nreload" },
      "password: must not contain control characters",
    ],
    ["a NUL in the user", { username: "a\0" }, "username: must not contain control characters"],
    ["an ESC in the secret", { secret: "\x1b[A" }, "secret: must not contain control characters"],
    ["a host with a Cyrillic letter", { host: "r\u0430uter" }, "host: must be a host name or an address"],
    ["a host with a blank", { host: "r1 r2" }, "host: must be a host name or an address"],
    ["port 0", { port: 0 }, "port: must be from 1 to 65535"],
    ["port 65536", { port: "65536" }, "port: must be from 1 to 65535"],
    ["an invalid port", { port: "ssh" }, "port: must be a port number"],
    ["a negative timeout", { timeout: -1 }, "timeout: must not be negative"],
    ["an invalid timeout", { timeout: "20s" }, "timeout: must be a number of seconds"],
    ["NaN", { keepalive: Number.NaN }, "keepalive: must be a number of seconds"],
    ["an unknown policy", { host_key_policy: "yes" }, "host_key_policy:"],
    ["a lone surrogate", { username: "a\ud800" }, "username: must be valid Unicode"],
  ])("reject %s", async (_, given, expected) => {
    const { issues } = await check(plugin.connection, { ...least, ...given });
    expect(issues.join("\n")).toContain(expected);
    expect(issues.join("\n")).not.toMatch(/reload|hunter22/);
  });

  test("list all accepted fields", () => {
    for (const field of ["host", "secret", "fast_cli", "verbose", "keepalive", "global_delay_factor"]) {
      expect(fieldsOf(plugin.connection)).toContain(field);
    }
  });
});

const configureSchema = plugin.args.configure ?? plugin.args.query;

describe("netmiko driver_args", () => {
  test.each([
    ["nothing", {}],
    [
      "all of send_command",
      { read_timeout: 60, expect_string: "#", cmd_verify: false, strip_prompt: false, delay_factor: 2 },
    ],
    [
      "a transfer",
      { file_transfer: { operation: "upload", local_path: "a.bin", remote_path: "flash:a.bin" } },
    ],
  ])("of a query accept %s", async (_, given) => {
    expect((await check(plugin.args.query, given)).issues).toEqual([]);
  });

  test.each([
    ["a back reference", { expect_string: "(a)\\1" }, "expect_string: could run forever"],
    [
      "a pattern with large repetitions",
      { expect_string: "(?:a{500}){500}" },
      "expect_string: could run forever",
    ],
    ["an invalid pattern", { expect_string: "(" }, "expect_string: is not a regular expression"],
    ["a long pattern", { expect_string: "a".repeat(600) }, "expect_string: must not be longer"],
    ["timing and a pattern", { expect_string: "#", timing: true }, "expect_string: excludes timing"],
    ["text for a boolean", { cmd_verify: "perhaps" }, "cmd_verify: must be true or false"],
  ])("of a query reject %s", async (_, given, expected) => {
    expect((await check(plugin.args.query, given)).issues.join("\n")).toContain(expected);
  });

  test("of a push accept commit and save, but not save without commit", async () => {
    expect((await check(configureSchema, { save: true, commit_comment: "x", confirm: 5 })).issues).toEqual(
      [],
    );
    expect((await check(configureSchema, { save: true, commit: false })).issues.join()).toContain("commit:");
  });

  test("translate use_textfsm and use_ttp into parsing options", async () => {
    const of = async (given: object) => plugin.parsing?.((await check(plugin.args.query, given)).value, []);
    expect(await of({})).toBeUndefined();
    expect(await of({ use_textfsm: true })).toEqual({ use: { name: "textfsm" }, strict: false });
    expect(
      await of({ use_textfsm: true, textfsm_template: "file://x.textfsm", raise_parsing_error: true }),
    ).toEqual({
      use: { name: "textfsm", template: "file://x.textfsm" },
      strict: true,
    });
    expect(await of({ use_ttp: true, ttp_template: "{{ a }}" })).toMatchObject({ use: { name: "ttp" } });
    expect((await check(plugin.args.query, { use_ttp: true })).issues.join()).toContain(
      "ttp_template: is required",
    );
  });

  test("with a file transfer are not repeatable after a crash", () => {
    expect(plugin.repeatable?.("query", {}, [])).toBe(true);
    expect(plugin.repeatable?.("query", { file_transfer: {} }, [])).toBe(false);
    expect(plugin.repeatable?.("configure", {}, [])).toBe(false);
  });
});
