/** README's tour runs as written: the commands work in order, on the test's own ports. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import process from "node:process";
import { afterEach, beforeEach, expect, test } from "vitest";
import { freePort } from "../../src/testkit/port.ts";
import { programOf, tempFolder } from "../../src/testkit/service.ts";

const [program, ...begin] = programOf();

const page = readFileSync("README.md", "utf8");
const tour = /^## Five minutes with curl$.*?^```bash\n(.*?)^```$/ms.exec(page)?.[1] ?? "";

let folder: string;
let shell: ChildProcess | undefined;
beforeEach(() => {
  folder = tempFolder();
});
afterEach(() => {
  // Processes started by the tour would outlive the test.
  try {
    if (shell?.pid) process.kill(-shell.pid, "SIGKILL");
  } catch {
    // Nothing was left running.
  }
  rmSync(folder, { recursive: true, force: true });
});

test("contains no placeholders or documentation addresses", () => {
  expect(tour.length).toBeGreaterThan(1_000);
  expect(tour).not.toMatch(/…|192\.0\.2\.|<your|YOUR_/);
});

test("covers every command of the program", () => {
  const help = (...words: string[]) => {
    const { stdout } = spawnSync(program, [...begin, ...words, "--help"], { encoding: "utf8" });
    const commands = /^Commands:\n(.*)/ms.exec(stdout)?.[1] ?? "";
    return [...commands.matchAll(/^ {2}([a-z][\w-]*)/gm)]
      .map((match) => match[1] ?? "")
      .filter((name) => name !== "help");
  };
  const commands = help().flatMap((name) => {
    const below = help(name);
    return below.length === 0 ? [name] : below.map((one) => `${name} ${one}`);
  });
  expect(commands).toContain("key add");
  expect(commands.filter((command) => !page.includes(`\`patchbay ${command}`))).toEqual([]);
});

test("answers every request, ends every job well and leaves nothing behind", async () => {
  const [port, first, second] = [await freePort(), await freePort(), await freePort()];
  // Replaces the ports and moves the log to a folder; npx finds the installed Bun.
  const script = tour
    .replaceAll("localhost:9000", `localhost:${port}`)
    .replaceAll("2222", String(first))
    .replaceAll("2223", String(second))
    .replaceAll("patchbay.log", join(folder, "patchbay.log"));
  shell = spawn("bash", ["-c", script], {
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      PATCHBAY_DATA_DIR: join(folder, "data"),
      PATCHBAY_LISTEN: `127.0.0.1:${port}`,
    },
  });
  let out = "";
  let errors = "";
  shell.stdout?.on("data", (chunk) => (out += String(chunk)));
  shell.stderr?.on("data", (chunk) => (errors += String(chunk)));
  // Emitted only when all processes that the shell started have ended: the tour's last command stops them.
  await once(shell, "close");
  for (const one of [port, first, second]) expect(await listensOn(one), `port ${one}`).toBe(false);
  const answers = out.split("\n").filter((line) => line.startsWith('{"code"'));
  const requests = tour.match(/^(?:pb|curl) .*localhost/gm) ?? [];
  expect(answers.length, `${out}\n${errors}`).toBe(requests.length);
  for (const answer of answers) expect(JSON.parse(answer).code, answer).toBe(200);
  expect(out).not.toMatch(/"status":"(?:failed|cancelled)"|"success":false/);
  expect(out).toContain('"hostname":"SW1"');
  expect(out).toContain("interface Loopback8");
  expect(out).toContain('"ticket":"CHG-7"');
  expect(out).toMatch(/viewer\tread\t127\.0\.0\.1,10\.1\.\*/);
});

async function listensOn(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  const answers = await new Promise<boolean>((done) => {
    socket.once("connect", () => done(true)).once("error", () => done(false));
  });
  socket.destroy();
  return answers;
}
