/** `patchbay simulate`: its error for an address that it cannot use. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import process from "node:process";
import { expect, test } from "vitest";

async function simulate(...options: readonly string[]): Promise<{ code: unknown; said: string }> {
  const child = spawn(process.execPath, ["src/main.ts", "simulate", "--platform", "cisco_ios", ...options], {
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
