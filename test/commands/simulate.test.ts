/** `patchbay simulate`: its error for an address that it cannot use. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import process from "node:process";
import { expect, test } from "vitest";
import { programOf } from "../../src/testkit/service.ts";

const [program, ...begin] = programOf();

async function simulate(...options: readonly string[]): Promise<{ code: unknown; said: string }> {
  const child = spawn(program, [...begin, "simulate", "--platform", "cisco_ios", ...options], {
    stdio: ["ignore", "ignore", "pipe"],
    env: { PATH: process.env.PATH, HOME: process.env.HOME },
  });
  let output = "";
  child.stderr.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const [code] = await once(child, "close");
  return { code, said: output };
}

test("a used port is reported in one sentence, without a stack trace", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const { code, said } = await simulate("--port", String(port));
  server.close();
  expect(code).not.toBe(0);
  expect(said).toContain(`Port ${port} on 127.0.0.1 is used by another program`);
  expect(said.trim().split("\n")).toHaveLength(1);
});

test.each([
  [["--thinking", "much"], "--thinking must be a whole number"],
  [["--transport", "ftp"], "--transport must be ssh or telnet"],
  [["--transcripts", "/nowhere"], "The folder of --transcripts does not exist"],
  [["--fault", "nonsense"], "--fault must be one of stall, drop, trickle, cut"],
])("%j is rejected in one sentence", async (options, sentence) => {
  const { code, said } = await simulate(...options);
  expect(code).not.toBe(0);
  expect(said).toContain(sentence);
  expect(said.trim().split("\n")).toHaveLength(1);
});

test("a vendor's name suggests its systems rather than their variants", async () => {
  const { said } = await simulate("--platform", "cisco");
  expect(said).toMatch(/Did you mean .*\bcisco_ios\b/);
  expect(said).toMatch(/\bcisco_nxos\b/);
  expect(said).not.toMatch(/_(ssh|telnet)\b/);
});

test("--count starts that many devices, each with a name and a port of its own", async () => {
  const args = [...begin, "simulate", "--platform", "cisco_ios", "--count", "3", "--hostname", "sw"];
  const child = spawn(program, args, {
    stdio: ["ignore", "pipe", "ignore"],
    env: { PATH: process.env.PATH, HOME: process.env.HOME },
  });
  let output = "";
  for await (const chunk of child.stdout) {
    output += String(chunk);
    if (output.includes("3 simulated cisco_ios listen")) break;
  }
  child.kill("SIGTERM");
  const ports = [...output.matchAll(/^sw(\d) {2}ssh -p (\d+) admin@127\.0\.0\.1$/gm)];
  expect(ports.map(([, number]) => number)).toEqual(["1", "2", "3"]);
  expect(new Set(ports.map(([, , port]) => port)).size).toBe(3);
});
