/** The run form as an API request. */
import { describe, expect, test } from "vitest";
import { stringifyExact } from "../../src/base/json/exact-json.ts";
import type { DriverForm, FormField } from "../../src/console/forms/driver-forms.ts";
import { inventoryForm, operationOf } from "../../src/console/pages/jobs/run-operation.ts";

const field = (name: string, kind: FormField["kind"]): FormField => ({
  ...{ name, kind, description: "", secret: false, main: true },
});
const form: DriverForm = {
  driver: "acme",
  connection: [field("username", "text"), field("port", "number"), field("verify", "boolean")],
  arguments: [field("save", "boolean"), field("optional", "json")],
};
const formData = (values: Record<string, string>) => {
  const data = new FormData();
  for (const [name, value] of Object.entries(values)) data.set(name, value);
  return data;
};

describe("the run form", () => {
  test("submits a job for one device, with the filled fields only", () => {
    const operation = operationOf(
      form,
      formData({
        ...{ hosts: " [2001:db8::1]:2222 ", lines: "show version\n\n", operation: "command" },
        ...{ "connection.username": "admin", "connection.verify": "false", "argument.optional": '{"a":1}' },
        ...{ parsing: "textfsm", label: "", ticket: "CHG-1" },
      }),
    );
    expect(operation).toMatchObject({ path: "/device/execute", many: false, changes: false });
    expect(operation.body).toEqual({
      driver: "acme",
      connection_args: { username: "admin", verify: false, host: "2001:db8::1", port: 2222 },
      command: "show version",
      driver_args: { optional: { a: 1 } },
      parsing: { name: "textfsm" },
      options: { ticket: "CHG-1" },
    });
  });

  test("submits a bulk for several devices, and asks for confirmation of a push unless it is a dry run", () => {
    const push = { hosts: "r1\nr2:830, r3", lines: "interface Gi1\n no shutdown", operation: "config" };
    expect(operationOf(form, formData(push))).toMatchObject({
      path: "/device/bulk",
      many: true,
      changes: true,
      question: "2 lines to 3 devices: push, without saving?",
      body: {
        driver_args: { save: false },
        devices: [{ host: "r1" }, { host: "r2", port: 830 }, { host: "r3" }],
        config: ["interface Gi1", " no shutdown"],
      },
    });
    const dry = operationOf(form, formData({ ...push, dry_run: "on", save: "on" }));
    expect(dry).toMatchObject({ changes: false });
    expect(dry.body).toMatchObject({ driver_args: { dry_run: true } });
    expect(dry.body).not.toHaveProperty("driver_args.save");
    const saved = operationOf(form, formData({ ...push, save: "on" }));
    expect(saved).toMatchObject({ question: expect.stringMatching(/push, and save\?$/) });
    expect(saved.body).toMatchObject({ driver_args: { save: true } });
    const without = operationOf({ ...form, arguments: [] }, formData({ ...push, save: "on" }));
    expect(without).toMatchObject({ question: "2 lines to 3 devices: push?", body: { driver_args: {} } });
  });

  test("submits a bulk by selector, limited to the confirmed number of devices", () => {
    const push = { hosts: "", select: "site:berlin", lines: "x", operation: "config" };
    expect(operationOf(inventoryForm, formData(push), 7)).toMatchObject({
      path: "/device/bulk",
      question: "1 line to 7 devices: push, without saving?",
      body: { select: "site:berlin", limit: 7, config: ["x"] },
    });
    const query = { ...push, hosts: "sw1", operation: "command" };
    const { body } = operationOf(inventoryForm, formData(query), 1);
    expect(body).toMatchObject({ select: "site:berlin", devices: [{ device: "sw1" }], command: "x" });
    expect(body).not.toHaveProperty("limit");
    expect(body).not.toHaveProperty("driver");
    expect(() => operationOf(inventoryForm, formData(push), 0)).toThrow("The selector matches no devices.");
  });

  test("submits one inventory device by name", () => {
    const query = { hosts: "sw1", lines: "show version", operation: "command" };
    expect(operationOf(inventoryForm, formData(query))).toMatchObject({
      path: "/device/execute",
      body: { device: "sw1", command: "show version" },
    });
  });

  test("pushes a template with its variables and checks, and renders it for the devices first", () => {
    const values = {
      ...{ hosts: "sw1", select: "site:ber", operation: "template", engine: "jinja2", ansible: "on" },
      ...{ template: "ntp {{ n }}\r\n", variables: '{"n": 9.0}', settle_seconds: "5", on_failure: "keep" },
      checks: "both: show ntp status unchanged\nafter: show clock not contains *",
    };
    const { body, template, question } = operationOf(inventoryForm, formData({ ...values, save: "on" }), 2);
    expect(JSON.parse(stringifyExact(body))).toMatchObject({
      config: { n: 9 },
      rendering: { name: "jinja2", template: "ntp {{ n }}\n", args: { ansible: true } },
      checks: {
        before: [{ command: "show ntp status", unchanged: true }],
        after: [
          { command: "show ntp status", unchanged: true },
          { command: "show clock", not_contains: "*" },
        ],
        ...{ settle_seconds: 5, on_failure: "keep" },
      },
    });
    expect(template).toMatchObject({ names: ["sw1"], select: "site:ber", count: 3 });
    expect(question).toBe("The template to 3 devices: push, and save?");
    const dry = operationOf(inventoryForm, formData({ ...values, dry_run: "on" }), 2);
    expect(dry).not.toHaveProperty("template");
    expect(dry.body).not.toHaveProperty("checks");
  });

  test.each([
    ["lab", { name: "file", ref: "lab" }],
    ["vault_kv:network/core", { name: "vault_kv", ref: "network/core" }],
    ['{"name": "vault_kv", "path": "a"}', { name: "vault_kv", path: "a" }],
  ])("sends the credential %s", (credential, named) => {
    const fields = { hosts: "r1", lines: "x", operation: "command", credential };
    expect(operationOf(form, formData(fields)).body).toMatchObject({
      connection_args: { credential: named },
    });
  });

  test.each([
    ["no device", { hosts: " " }, "Enter a device."],
    ["an invalid number", { hosts: "r1", "connection.port": "x" }, "port must be a number."],
    ["an invalid credential", { hosts: "r1", credential: "{" }, /^credential: /],
    ["a check of another form", { hosts: "r1", operation: "config", checks: "show ip" }, "write before:"],
    ["variables that are a list", { hosts: "r1", operation: "template", variables: "[]" }, "an object"],
    ["invalid JSON", { hosts: "r1", "argument.optional": "{" }, /^optional: /],
  ])("rejects %s before sending", (_what, values, message) => {
    expect(() => operationOf(form, formData({ lines: "x", operation: "command", ...values }))).toThrow(
      message,
    );
  });
});
