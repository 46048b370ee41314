/**
 * Plugins that hang, loop, grow or end the process while their file is loaded: the service starts without them. One
 * that loops computes for 5 s before it is refused: a plain run has it in one place, and in the others one that hangs.
 */
import { spawn } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { pause } from "../../../src/base/time/deadline.ts";
import { programOf, type Service, startService, tempFolder } from "../../../src/testkit/service.ts";
import { sampled } from "../../support/sampled.ts";

const engine = `
import { defineTemplateEngine } from "patchbay/plugin";
const any = { "~standard": { version: 1, vendor: "test", validate: (value) => ({ value }) } };
export default defineTemplateEngine({ name: "word", does: "render", args: any, compile: () => ({ run: () => "fine" }) });
`;
const looping = "for (;;);";
// Takes no CPU time until it is given up.
const hanging = "await new Promise((done) => setTimeout(done, 1e9));";
/** What each file does, and what is said about it. */
const all: readonly (readonly [name: string, text: string, reason: RegExp])[] = [
  [
    "allocates.js",
    "const all = []; for (;;) all.push(new Uint8Array(2 ** 26).fill(1));",
    /512 MiB of memory/,
  ],
  ["awaits.js", "await new Promise(() => {}); export default {};", /did not load within 10 s/],
  [
    "ends.js",
    "import.meta.require('node:process').kill(process.pid, 'SIGKILL');",
    /its process ended.*killed/,
  ],
  ["exits.js", "process.exit(0);", /process\.exit\(0\)/],
  ["leaves.js", "process.reallyExit(7);", /its process ended.*exit code 7/],
  ["loops.js", looping, /still computed after 5 s/],
  [
    "tells.js",
    "throw new Error('no login with ' + process.env.ACME_TOKEN);",
    /tells\.js:1: no login with \[secret\]/,
  ],
];
const loopsAt = sampled(["start", "doctor", "reload"], 1, () => "a loop");
const bad = all.filter(([name]) => name !== "loops.js" || loopsAt.includes("start"));
const acmeToken = "canary-of-the-environment";

let folder: string;
let service: Service;
beforeAll(async () => {
  folder = tempFolder();
  for (const [name, source] of bad) writeFileSync(join(folder, name), source);
  writeFileSync(join(folder, "word.js"), engine);
  service = await startService({ plugins: [folder], env: { ACME_TOKEN: acmeToken } });
});
afterAll(() => service?.close());

async function refusals(): Promise<Map<string, string>> {
  const { body } = await service.call<{ name: string; refused: string | null }[]>("GET", "/plugin");
  return new Map(body.data.flatMap(({ name, refused }) => (refused === null ? [] : [[name, refused]])));
}

const render = () => service.call("POST", "/template/render/word", { template: "x", context: {} });

async function patchbay(...args: string[]): Promise<string> {
  const [program, ...begin] = programOf();
  const child = spawn(program, [...begin, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { PATH: process.env.PATH, HOME: folder, ACME_TOKEN: acmeToken, PATCHBAY_DATA_DIR: service.dataDir },
  });
  const [out, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return out + errors;
}

describe("a plugin that does not load", () => {
  test.each(bad)("%s is named with the reason in GET /plugin and the log", async (name, _text, reason) => {
    const told = (await refusals()).get(name);
    expect(told).toMatch(reason);
    expect(told).toContain(name);
    const lines = service.output().split("\n");
    expect(
      lines.filter((line) => line.includes(`"${name}"`) && line.includes("plugin.refused")),
    ).toHaveLength(1);
  });

  test("the others work, and nothing secret is told", async () => {
    expect((await render()).body.data).toBe("fine");
    expect(service.output()).not.toContain(acmeToken);
  });

  test("doctor and the commands for plugins name it as well, and end", async () => {
    const [first, awaits] = [tempFolder(), tempFolder()];
    const loops = loopsAt.includes("doctor");
    writeFileSync(join(first, "first.js"), loops ? looping : hanging);
    writeFileSync(join(awaits, "awaits.js"), hanging);
    const [doctor, checked, listed] = await Promise.all([
      patchbay("doctor", "--plugins", first),
      patchbay("plugin", "check", awaits),
      patchbay("plugin", "list", "--plugins", awaits),
    ]);
    expect(doctor).toMatch(/FAIL {2}plugins: first\.js is refused: .*first\.js/);
    expect(doctor).toMatch(loops ? /first\.js: it still computed/ : /first\.js did not load within/);
    expect(checked).toMatch(/awaits\.js did not load within/);
    expect(listed).toMatch(/awaits\.js is refused/);
  });
});

test("at a reload the service answers while a plugin does not load, and keeps the others", async () => {
  for (const [name] of bad) rmSync(join(folder, name));
  mkdirSync(join(folder, "later"));
  writeFileSync(join(folder, "later", "plugin.js"), loopsAt.includes("reload") ? looping : hanging);
  const answered: number[] = [];
  service.child.kill("SIGHUP");
  while (!service.output().includes("plugins.reloaded")) {
    answered.push((await service.call("GET", "/health")).status, (await render()).status);
    await pause(50);
  }
  expect(new Set(answered)).toEqual(new Set([200]));
  expect(answered.length).toBeGreaterThan(20);
  expect([...(await refusals()).keys()]).toEqual(["later"]);
  expect((await render()).body.data).toBe("fine");
});
