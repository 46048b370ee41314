/** Folders of templates and recipes, checked without a running service. */
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { programOf, tempFolder } from "../../../src/testkit/service.ts";

const [program, ...begin] = programOf();
const folder = tempFolder();
const run = (...args: string[]) => {
  const { status, stdout, stderr } = spawnSync(program, [...begin, ...args], {
    encoding: "utf8",
    env: { PATH: process.env.PATH, HOME: folder, NO_COLOR: "1" },
  });
  return { status, out: stdout, err: stderr };
};
const write = (path: string, text: string) => writeFileSync(join(folder, path), text);
const place = (path: string) => join(folder, path);

test("templates: sound ones, each fault of broken ones, and folders without any", () => {
  mkdirSync(place("templates"));
  write("templates/hello.yaml", "tests: [{context: {name: you}, expected: hello you}]\n");
  write("templates/hello.j2", "hello {{ name }}");
  write("templates/names.textfsm", "Value Name (\\S+)\n\nStart\n  ^name ${Name} -> Record\n");
  expect(run("template", "test", place("templates"))).toEqual({
    ...{ status: 0, out: "ok hello (1 tests)\nok names (0 tests)\n", err: "" },
  });
  write("templates/hello.j2", "bye {{ name }}");
  write("templates/odd.j2", "{% if %}");
  const broken = run("template", "test", place("templates"));
  expect(broken.status).toBe(1);
  expect(broken.out.split("\n")).toEqual([
    expect.stringMatching(/^failed hello.yaml: .*"bye you", expected "hello you"$/),
    expect.stringMatching(/^failed odd.j2: template: does not compile: /),
    "",
  ]);
  mkdirSync(place("empty"));
  expect(run("template", "test", place("empty"))).toMatchObject({ status: 2, out: "" });
});

test("recipes: with the templates that they name", () => {
  mkdirSync(place("sound"));
  mkdirSync(place("recipes"));
  write("sound/motd.j2", "welcome");
  const step = (request: string) => `steps:\n  - {name: say, kind: push, request: {${request}}}\n`;
  write("recipes/motd.yaml", step('rendering: {name: jinja2, template: "template://motd"}'));
  const alone = run("recipe", "test", place("recipes"));
  expect([alone.status, alone.out]).toEqual([1, expect.stringContaining("no stored template motd")]);
  expect(run("recipe", "test", place("recipes"), "--templates", place("sound"))).toMatchObject({
    ...{ status: 0, out: "ok motd\n" },
  });
  write("recipes/wrong.yaml", step('config: ["vlan {{ vlan }}"]'));
  write("recipes/broken.yaml", "steps: [");
  const { status, out } = run("recipe", "test", place("recipes"), "--templates", place("sound"));
  expect(status).toBe(1);
  expect(out).toContain("failed wrong.yaml: steps.0.request.config.0: {{ vlan }} is no parameter\n");
  expect(out).toMatch(/^failed broken.yaml: /m);
  expect(run("recipe", "test", place("none"))).toMatchObject({ status: 2 });
});
