/** A form from the schema of a request, and the record that it says. */
import { expect, test } from "vitest";
import { newKeyRequest } from "../../src/api/access/key.ts";
import { deviceFields } from "../../src/api/inventory/inventory.ts";
import { fieldsOf, recordOf, textOf } from "../../src/console/forms/form-fields.ts";

const device = fieldsOf(deviceFields);
const said = (values: Record<string, string>) => {
  const form = new FormData();
  for (const [name, value] of Object.entries(values)) form.set(name, value);
  return form;
};

test("the kind of each field follows from the schema", () => {
  const kinds = Object.fromEntries(device.map(({ name, kind }) => [name, kind]));
  expect(kinds).toMatchObject({
    ...{ name: "text", host: "text", port: "number", tags: "list", enabled: "flag" },
    ...{ credential: "credential", vars: "members", connection: "members" },
  });
  const scope = fieldsOf(newKeyRequest.entries).find(({ name }) => name === "scope");
  expect(scope?.of).toContain("operate");
});

test("what is said becomes a value of that kind, what is emptied goes, and what has no field stays", () => {
  const before = { name: "sw1", port: 22, site: "x", change: { required: true }, other: 1 };
  const form = said({
    ...{ name: "sw1", port: "2222", site: "", tags: "a, b,", enabled: "false", credential: "vault:a:b" },
    ...{ vars: '{"v": 7.0}', change: '{"required":true}' },
  });
  expect(recordOf(device, form, before)).toMatchObject({
    ...{ name: "sw1", port: 2222, tags: ["a", "b"], enabled: false, other: 1, change: { required: true } },
    credential: { name: "vault", ref: "a:b" },
  });
  expect(recordOf(device, form, before)).not.toHaveProperty("site");
  expect(recordOf(device, said({ credential: "lab" }), {}).credential).toEqual({ name: "file", ref: "lab" });
});

test("an untouched record is sent as it was", () => {
  const before = {
    ...{ name: "sw1", port: 22, tags: ["a,b"], enabled: true, vars: { deep: [1] } },
    credential: { name: "file", ref: "lab" },
  };
  const shown = Object.fromEntries(
    device.map((field): [string, string] => [
      field.name,
      textOf(field, Object.entries(before).find(([name]) => name === field.name)?.[1]),
    ]),
  );
  expect(recordOf(device, said(shown), before)).toEqual(before);
});

test("a map that is no JSON is told by its name", () => {
  expect(() => recordOf(device, said({ vars: "{" }), {})).toThrow(/^vars: /);
});

test("rights are ticked: none of those that were there is an empty list, where nothing was said is nothing sent", () => {
  const rights = fieldsOf(newKeyRequest.entries).filter(({ name }) => name === "rights");
  expect(rights).toMatchObject([{ kind: "choices", of: ["history", "history_secrets", "approve"] }]);
  const form = new FormData();
  expect(recordOf(rights, form, {})).toEqual({});
  expect(recordOf(rights, form, { rights: ["history"] })).toEqual({ rights: [] });
  form.append("rights", "history");
  expect(recordOf(rights, form, { rights: ["history"] })).toEqual({ rights: ["history"] });
  form.append("rights", "approve");
  expect(recordOf(rights, form, {})).toEqual({ rights: ["history", "approve"] });
});
