/** Completion is generated from the command line definition, and real shells accept it. */
import { spawnSync } from "node:child_process";
import process from "node:process";
import { describe, expect, test } from "vitest";
import { describeCommand } from "../../src/commands/describe.ts";
import { commandLine } from "../../src/commands/index.ts";
import { programOf } from "../../src/testkit/service.ts";

const [program, ...begin] = programOf();

const root = describeCommand(await commandLine({ threadEntry: "", mainPath: "" }));

function completionOf(shell: string): string {
  const done = spawnSync(program, [...begin, "completion", shell], {
    encoding: "utf8",
    env: { PATH: process.env.PATH },
  });
  expect(done.stderr).toBe("");
  return done.stdout;
}

test("the completion description has every command with its arguments and options", () => {
  const key = root.commands.find(({ name }) => name === "key");
  const add = key?.commands.find(({ name }) => name === "add");
  expect(add).toMatchObject({
    path: "patchbay key add",
    usage: "[options] <name>",
    arguments: [{ name: "name", required: true, variadic: false }],
  });
  expect(add?.options.find(({ long }) => long === "--scope")).toMatchObject({
    flags: "--scope <scope>",
    value: "scope",
    default: "operate",
  });
  expect(add?.options.at(-1)).toMatchObject({ short: "-h", long: "--help" });
});

test("each command has a description", () => {
  const silent = (command: typeof root): string[] => [
    ...(command.about === "" ? [command.path] : []),
    ...command.commands.flatMap(silent),
  ];
  expect(silent(root)).toEqual([]);
});

describe("completion in bash", () => {
  const script = completionOf("bash");
  const complete = (...words: string[]) => {
    const shellCode = `COMP_WORDS=(${words.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${words.length - 1}; _patchbay; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const done = spawnSync("bash", ["--norc", "-c", `${script}\n${shellCode}`], { encoding: "utf8" });
    return done.stdout.trim().split("\n");
  };

  test("completes commands, subcommands, options and their values", () => {
    expect(complete("patchbay", "ser")).toEqual(["serve"]);
    expect(complete("patchbay", "key", "ro")).toEqual(["rotate-master"]);
    expect(complete("patchbay", "key", "add", "name", "--ex")).toEqual(["--expires"]);
    expect(complete("patchbay", "completion", "")).toEqual(expect.arrayContaining(["bash", "zsh", "fish"]));
  });

  test("completes file names for options that take files", () => {
    expect(complete("patchbay", "--config", "package.j")).toEqual(["package.json"]);
    expect(complete("patchbay", "key", "add", "package.j")).toEqual([""]);
  });
});

test.each([
  ["bash", ["-n"]],
  ["zsh", ["-n"]],
  ["fish", ["--no-execute"]],
])("%s accepts the syntax of the completion script", (shell, flags) => {
  const script = completionOf(shell);
  for (const { name } of root.commands) expect(script).toContain(name);
  const looked = spawnSync(shell, [...flags, "/dev/stdin"], { encoding: "utf8", input: script });
  if (looked.error === undefined) expect(looked).toMatchObject({ status: 0, stderr: "" });
});
