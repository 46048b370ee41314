/**
 * The end point for agents with what others wrote: the conformance suite, the command line of the inspector, and one client
 * of each era, over HTTP and over `patchbay mcp`. They are fetched, pinned, into a temporary folder: none is a dependency.
 * With TEST_PROGRAM the service and `patchbay mcp` are that program. Prints JSON; ends with 1 if a check that applies fails.
 */
import { spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import * as v from "valibot";
import { startService, tempFolder } from "../src/testkit/service.ts";

const pinned = {
  "@modelcontextprotocol/conformance": "0.2.0-alpha.12",
  "@modelcontextprotocol/inspector": "2.12.0",
  "@modelcontextprotocol/sdk": "1.32.2",
  "@modelcontextprotocol/client": "2.4.0",
};
/** What a server with tools and nothing else must do, by revision. */
const scenarios = {
  "2025-11-25": [
    ...["server-initialize", "ping", "tools-list", "dns-rebinding-protection"],
    "server-session-lifecycle",
  ],
  "2026-07-28": [
    ...["server-stateless", "tools-list", "dns-rebinding-protection", "http-header-validation", "caching"],
    "server-sse-multiple-streams",
  ],
};
/** Checks of what this server does not offer, with the reason. */
const notOffered: readonly (readonly [RegExp, string])[] = [
  [/Not testable/, "needs a tool that only a test server has"],
  [/resources|prompts/i, "there are no resources and no prompts"],
];

const folder = tempFolder("patchbay-mcp-");
writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module", dependencies: pinned }));
await run(process.execPath, ["install", "--ignore-scripts"], folder);

const service = await startService({ env: { PATCHBAY_MCP: "propose", PATCHBAY_RATE_PER_KEY: "10000" } });
const made = await service.call<{ key: string }>("POST", "/key", { name: "conformance", scope: "agent" });
const { key } = made.body.data;
// The suite knows no keys.
const proxy = createServer((request, response) => {
  const pieces: Buffer[] = [];
  request.on("data", (piece: Buffer) => pieces.push(piece));
  request.on("end", () => {
    const headers = Object.entries(request.headers).flatMap(([name, value]): [string, string][] =>
      ["connection", "content-length", "transfer-encoding", "accept-encoding"].includes(name) ||
      value === undefined
        ? []
        : [[name, String(value)]],
    );
    const method = request.method ?? "POST";
    const body = method === "GET" || method === "DELETE" ? undefined : Buffer.concat(pieces);
    void fetch(`${service.url}${request.url}`, {
      method,
      headers: [...headers, ["x-api-key", key]],
      body,
    }).then(async (answer) => {
      response.writeHead(answer.status, {
        "Content-Type": answer.headers.get("content-type") ?? "application/json",
      });
      response.end(await answer.text());
    });
  });
});
await new Promise<void>((listening) => proxy.listen(0, "127.0.0.1", listening));
const address = proxy.address();
const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}/mcp`;

const checks = v.array(
  v.object({ id: v.string(), status: v.string(), errorMessage: v.optional(v.string()) }),
);
const suite: Record<string, object> = {};
const failed: string[] = [];
for (const [revision, names] of Object.entries(scenarios)) {
  const counts = { passed: 0, failed: 0, notOffered: [] as string[] };
  for (const name of names) {
    const out = join(folder, revision, name);
    mkdirSync(out, { recursive: true });
    const program = join(folder, "node_modules/@modelcontextprotocol/conformance/dist/index.js");
    const args = ["server", "--url", url, "--scenario", name, "--spec-version", revision, "-o", out];
    await run(process.execPath, [program, ...args], folder).catch(() => undefined);
    const [result] = readdirSync(out);
    const file = result === undefined ? undefined : join(result, "checks.json");
    if (file === undefined) {
      failed.push(`${revision} ${name}: it gave no result`);
      continue;
    }
    for (const { id, status, errorMessage = "" } of v.parse(
      v.pipe(v.string(), v.parseJson(), checks),
      readFileSync(join(out, file), "utf8"),
    )) {
      if (status === "SUCCESS") counts.passed += 1;
      const why = notOffered.find(([fits]) => fits.test(`${id} ${errorMessage}`))?.[1];
      if (status === "FAILURE" && why !== undefined) counts.notOffered.push(`${name} ${id}: ${why}`);
      else if (status === "FAILURE") {
        counts.failed += 1;
        failed.push(`${revision} ${name} ${id}: ${errorMessage}`);
      }
    }
  }
  suite[revision] = counts;
}

const keyFile = join(folder, "key");
writeFileSync(keyFile, key, { mode: 0o600 });
const inspected = await run(
  "node",
  [
    join(folder, "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js"),
    ...["--cli", `${service.url}/mcp`, "--transport", "http", "--method", "tools/list"],
    ...["--header", `X-API-KEY: ${key}`],
  ],
  folder,
).catch((error: unknown) => String(error));
const inspector = /"find_devices"/.test(inspected) ? "lists the tools" : inspected.slice(0, 300);
if (inspector !== "lists the tools") failed.push(`inspector: ${inspector}`);

const built = process.env.TEST_PROGRAM;
const source = fileURLToPath(new URL("../src/main.ts", import.meta.url));
const program = built === undefined ? [process.execPath, source] : [built];
const clients = join(folder, "clients.mjs");
writeFileSync(
  clients,
  `import { Client as Old } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as OldHttp } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { StdioClientTransport as OldStdio } from "@modelcontextprotocol/sdk/client/stdio.js";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
const [url, key, keyFile, command, ...begin] = process.argv.slice(2);
const program = { command, args: [...begin, "mcp", "--url", url, "--key-file", keyFile] };
const headers = { requestInit: { headers: { Authorization: "Bearer " + key } } };
const found = {};
for (const [name, make, transport] of [
  ["2025 over HTTP", () => new Old({ name: "old", version: "1" }), () => new OldHttp(new URL(url + "/mcp"), headers)],
  ["2025 over patchbay mcp", () => new Old({ name: "old", version: "1" }), () => new OldStdio(program)],
  ["2026 over HTTP", () => new Client({ name: "new", version: "1" }, { versionNegotiation: { mode: "auto" } }), () => new StreamableHTTPClientTransport(new URL(url + "/mcp"), headers)],
  ["2026 over patchbay mcp", () => new Client({ name: "new", version: "1" }, { versionNegotiation: { mode: "auto" } }), () => new StdioClientTransport(program)],
]) {
  const client = make();
  await client.connect(transport());
  const { tools } = await client.listTools();
  const { structuredContent } = await client.callTool({ name: "find_devices", arguments: {} });
  const version = client.getNegotiatedProtocolVersion?.();
  found[name] = { tools: tools.length, devices: structuredContent.total, ...(version ? { version } : {}) };
  await client.close();
}
console.log(JSON.stringify(found));
`,
);
const byClient = await run(process.execPath, [clients, service.url, key, keyFile, ...program], folder).then(
  (text): unknown => JSON.parse(text.slice(text.indexOf("{"))),
  (error: unknown) => String(error).slice(0, 600),
);
if (typeof byClient === "string") failed.push(`clients: ${byClient}`);

console.log(JSON.stringify({ pinned, suite, inspector, clients: byClient, failed }, null, 2));
proxy.close();
await service.close();
process.exit(failed.length === 0 ? 0 : 1);

function run(program: string, args: readonly string[], cwd: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, stdio: ["ignore", "pipe", "pipe"], timeout: 120_000 });
    let [out, err] = ["", ""];
    child.stdout.on("data", (piece: Buffer) => {
      out += piece;
    });
    child.stderr.on("data", (piece: Buffer) => {
      err += piece;
    });
    child.on("error", reject);
    child.on("close", (code) => (code === 0 ? resolve(out) : reject(new Error(`${program}: ${out}${err}`))));
  });
}
