import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { expect, test } from "vitest";
import command from "../../plugins/credentials/command/plugin.ts";
import { tempFolder } from "../../src/testkit/service.ts";
import { sourceOf } from "./support.ts";

const folder = tempFolder();

/** @returns a source that runs a shell script */
function asking(script: string, settings: object = {}) {
  const program = join(folder, `ask-${Math.random().toString(36).slice(2)}`);
  writeFileSync(program, `#!/bin/sh\n${script}\n`);
  chmodSync(program, 0o755);
  return sourceOf(command, { program, ...settings });
}

test("the program gets the reference as one argument, and its output becomes the fields", async () => {
  const resolve = await asking(`printf '{"username":"%s","password":"%s"}' "$1" "$2"`, { args: ["first"] });
  expect(await resolve({ ref: "core/r1" })).toEqual({ username: "first", password: "core/r1" });
});

test("the program gets no environment of the service", async () => {
  const resolve = await asking(`printf '{"password":"%s"}' "$PATCHBAY_TEST_CANARY$HOME"`);
  process.env.PATCHBAY_TEST_CANARY = "canary";
  expect(await resolve({ ref: "r1" })).toEqual({ password: "" });
  delete process.env.PATCHBAY_TEST_CANARY;
});

test.each([
  ["exits with a status", "echo oops; exit 3", /exited with status 3 for "r1"/],
  ["prints no JSON", "echo password", /did not print a JSON object of strings/],
  ["prints numbers", `echo '{"password":1}'`, /did not print a JSON object of strings/],
  ["prints endlessly", "yes", /printed more than 64 KiB/],
])("a program that %s is reported, without its output", async (_what, script, reason) => {
  const resolve = await asking(script);
  const failed = resolve({ ref: "r1" });
  await expect(failed).rejects.toThrow(reason);
  await expect(failed).rejects.toThrow(/^connection_args\.credential: /);
  await expect(failed).rejects.not.toThrow(/oops/);
});

test("a program that takes too long is killed with its child processes", async () => {
  const mark = join(folder, "child");
  const resolve = await asking(`sleep 600 & echo $! > ${mark}; wait`, { timeout: 1 });
  await expect(resolve({ ref: "r1" })).rejects.toThrow(/was killed by SIGKILL; its timeout is 1 seconds/);
  const child = Number(readFileSync(mark, "utf8"));
  await expect.poll(() => existsSync(`/proc/${child}`)).toBe(false);
});

test("a program that leaves a daemon behind, which keeps its output open, has ended nevertheless", async () => {
  const mark = join(folder, "daemon");
  const answer = `printf '{"password":"word"}'`;
  const resolve = await asking(`setsid sleep 600 & echo $! > ${mark}; ${answer}`);
  try {
    expect(await resolve({ ref: "r1" })).toEqual({ password: "word" });
  } finally {
    process.kill(Number(readFileSync(mark, "utf8")));
  }
});

test("a program that ignores SIGTERM is killed", async () => {
  const mark = join(folder, "deaf");
  const resolve = await asking(`trap '' TERM; echo $$ > ${mark}; while :; do sleep 1; done`, { timeout: 1 });
  await expect(resolve({ ref: "r1" })).rejects.toThrow(/was killed by SIGKILL; its timeout is 1 seconds/);
  const deaf = Number(readFileSync(mark, "utf8"));
  await expect.poll(() => existsSync(`/proc/${deaf}`)).toBe(false);
});

test("the program is run even if the job has less time left, but not after the job's end", async () => {
  const resolve = await asking(`echo '{"password":"x"}'`, { timeout: 60 });
  expect(await resolve({ ref: "r1" })).toEqual({ password: "x" });
  const mark = join(folder, "never");
  const late = await asking(`touch ${mark}; echo '{"password":"x"}'`);
  await expect(late({ ref: "r1" }, { signal: AbortSignal.abort(new Error("over")) })).rejects.toThrow("over");
  expect(existsSync(mark)).toBe(false);
});

test("cancelling the job kills the program", async () => {
  const mark = join(folder, "cancelled");
  const resolve = await asking(`echo $$ > ${mark}; exec sleep 600`);
  const stop = new AbortController();
  const resolving = resolve({ ref: "r1" }, { signal: stop.signal });
  resolving.catch(() => {});
  await expect.poll(() => existsSync(mark) && readFileSync(mark, "utf8").trim() !== "").toBe(true);
  stop.abort(new Error("cancelled"));
  await expect(resolving).rejects.toThrow("cancelled");
  const pid = Number(readFileSync(mark, "utf8"));
  await expect.poll(() => existsSync(`/proc/${pid}`)).toBe(false);
});

test("a missing program setting or program is named in the error", async () => {
  await expect((await sourceOf(command, {}))({ ref: "r1" })).rejects.toThrow(
    "PATCHBAY_PLUGIN_COMMAND_PROGRAM",
  );
  const absent = await sourceOf(command, { program: "/nowhere/ask" });
  await expect(absent({ ref: "r1" })).rejects.toThrow("/nowhere/ask cannot be run");
});

test.each(["-rf", "a b", "a;b", "$(id)", "", "a\nb"])("%j is rejected as a reference", async (ref) => {
  const resolve = await asking("echo '{}'");
  await expect(resolve({ ref })).rejects.toThrow("must be a name");
});

test.each(["core/../prod", "core/..", "core/./r1", "..", "core//r1", "core/r1/"])(
  "%s is rejected as a reference, because it would escape a key's allowed pattern",
  async (ref) => {
    const resolve = await asking(`echo '{"password":"x"}'`);
    await expect((async () => resolve({ ref }))()).rejects.toThrow();
  },
);
