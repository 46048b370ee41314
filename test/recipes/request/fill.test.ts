/** Values in the requests of steps. */
import { expect, test } from "vitest";
import { bodyOfStep } from "../../../src/recipes/request/body.ts";
import { filled, placesOf } from "../../../src/recipes/request/fill.ts";

const values = { vlan: 20, name: "users", lines: "a\nb", ports: ["1", "2"], group: "core" };

test("a text that is only a place keeps the type; others are put into the text", () => {
  expect(
    filled({ config: ["vlan {{ vlan }}", " name {{name}}"], ttl: "{{ vlan }}", list: "{{ ports }}" }, values),
  ).toEqual({ request: { config: ["vlan 20", " name users"], ttl: 20, list: ["1", "2"] } });
  expect(filled({ command: ["show {{ name }}", "{{ ports }}"] }, values)).toEqual({
    request: { command: ["show users", "1", "2"] },
  });
});

test("a parameter without a value leaves its member away", () => {
  expect(filled({ ttl: "{{ none }}", note: "x{{ none }}y" }, values)).toEqual({ request: { note: "xy" } });
});

test("what a value holds is not filled again, and no member of an object is one", () => {
  expect(filled({ command: "show {{ name }}" }, { name: "{{ vlan }}", vlan: 1 })).toEqual({
    request: { command: "show {{ vlan }}" },
  });
  expect(filled({ command: "show {{ constructor }}{{ toString }}" }, values)).toEqual({
    request: { command: "show " },
  });
});

test("several lines are a whole text only, and a selector takes plain words only", () => {
  expect(filled({ command: "show {{ lines }}" }, values)).toMatchObject({ path: "command" });
  expect(filled({ config: "{{ lines }}" }, values)).toEqual({ request: { config: "a\nb" } });
  expect(filled({ select: "group:{{ group }}" }, values)).toEqual({ request: { select: "group:core" } });
  for (const group of ["core or all", "core)", "*", "a,b", "", "a\tb", "!a"])
    expect(filled({ select: "group:{{ group }}" }, { group })).toMatchObject({ path: "select" });
});

test("templates keep their own braces and get the parameters as variables", () => {
  const request = { rendering: { name: "jinja2", template: "vlan {{ vlan }}" } };
  expect(placesOf(request)).toEqual([]);
  expect(bodyOfStep({ kind: "push", request }, { values, devices: ["r1"], tags: ["t"] })).toEqual({
    request: {
      ...request,
      config: values,
      devices: [{ device: "r1" }],
      options: { tags: ["t"] },
    },
  });
});

test("the body of a step is the same at each try", () => {
  const step = { kind: "query" as const, request: { command: "show {{ name }}", options: { tags: ["a"] } } };
  const run = { values, devices: ["r2", "r1"], tags: ["t"], ticket: "CHG-1", note: null, label: "x" };
  const texts = [1, 2].map(() => JSON.stringify(bodyOfStep(step, run)));
  expect(texts[0]).toBe(texts[1]);
  expect(JSON.parse(texts[0] ?? "")).toEqual({
    request: {
      command: "show users",
      devices: [{ device: "r2" }, { device: "r1" }],
      label: "x",
      ticket: "CHG-1",
      options: { tags: ["a", "t"] },
    },
  });
});

test("the template of a render and of a check keeps its own braces, too", () => {
  const request = {
    template: "{% for port in ports %}{{ port }}: {{ vlan }}{% endfor %}",
    context: { more: "{{ vlan }}" },
  };
  expect(placesOf(request)).toEqual([{ path: "context.more", name: "vlan", isPart: false }]);
  expect(bodyOfStep({ kind: "render", request }, { values, devices: [], tags: [] })).toEqual({
    request: { template: request.template, context: { ...values, more: 20 } },
  });
  const parse = { name: "ttp", template: "interface {{ interface }}" };
  expect(placesOf({ checks: { after: [{ command: "show {{ name }}", parse }] } })).toEqual([
    { path: "checks.after.0.command", name: "name", isPart: true },
  ]);
});
