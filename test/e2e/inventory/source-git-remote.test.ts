/** A git source on a remote over HTTPS: history that was rewritten, logins that are asked for, answers without end. */
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import type { RequestListener } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import process from "node:process";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { needs } from "../../../scripts/testbed/catalogue.ts";
import { type Service, startService, tempFolder } from "../../../src/testkit/service.ts";
import { selfSigned } from "../../support/certificates.ts";

const token = "git-canary-0123456789abcdef";
const root = tempFolder();
const fleet = join(root, "fleet");
let service: Service;
let server: Server;
let url: string;

const git = (...args: string[]) =>
  execFileSync("git", ["-C", fleet, "-c", "user.name=t", "-c", "user.email=t@example", ...args], {
    stdio: "pipe",
  });

function write(...names: string[]): void {
  writeFileSync(
    join(fleet, "devices.csv"),
    ["name,host", ...names.map((name) => `${name},${name}`)].join("\n"),
  );
  git("add", "-A");
}

/** git's own server, as a CGI program; `/private` needs the token, `/endless` never answers. */
const answer: RequestListener = (request, response) => {
  const { pathname, search } = new URL(request.url ?? "/", "https://x");
  if (pathname.startsWith("/endless/")) return;
  const login = Buffer.from(`git:${token}`).toString("base64");
  if (pathname.startsWith("/private/") && request.headers.authorization !== `Basic ${login}`)
    return void response.writeHead(401, { "WWW-Authenticate": 'Basic realm="git"' }).end();
  const child = spawn("git", ["http-backend"], {
    env: {
      PATH: process.env.PATH,
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: "1",
      GIT_PROTOCOL: String(request.headers["git-protocol"] ?? ""),
      PATH_INFO: pathname.replace(/^\/private/, ""),
      QUERY_STRING: search.slice(1),
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: request.headers["content-type"] ?? "",
      HTTP_CONTENT_ENCODING: request.headers["content-encoding"] ?? "",
    },
  });
  request.pipe(child.stdin);
  const pieces: Buffer[] = [];
  child.stdout.on("data", (piece: Buffer) => pieces.push(piece));
  child.on("close", () => {
    const all = Buffer.concat(pieces);
    const end = all.indexOf("\r\n\r\n");
    for (const line of all.subarray(0, end).toString().split("\r\n")) {
      const [name = "", value = ""] = line.split(": ");
      if (name === "Status") response.statusCode = Number.parseInt(value, 10);
      else response.setHeader(name, value);
    }
    response.end(all.subarray(end + 4));
  });
};

const put = (name: string, more: object = {}) =>
  service.call("PUT", `/inventory/source/${name}`, {
    ...{ kind: "git", url: `${url}/fleet`, path: "devices.csv", format: "csv", ref: "main" },
    ...{ verify: false, mode: "mirror", max_removals: 100, credential: null, ...more },
  });
const sync = (name: string) => service.call<Record<string, number>>("POST", `/inventory/source/${name}/sync`);

describe.skipIf(needs("git"))("a remote", () => {
  beforeAll(async () => {
    mkdirSync(fleet);
    git("init", "-q", "-b", "main");
    write("ber-1", "ber-2");
    git("commit", "-q", "-m", "first");
    server = createServer(await selfSigned(), answer);
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    service = await startService({
      env: { PATCHBAY_URL_ALLOW: "127.0.0.1", PATCHBAY_PLUGIN_ENV_GIT_PASSWORD: token },
    });
  });
  afterAll(async () => {
    await service.stop();
    server.closeAllConnections();
    server.close();
  });

  test("whose history was rewritten is read as it is now", async () => {
    await put("fleet");
    expect((await sync("fleet")).body.data).toMatchObject({ added: 2 });
    write("ber-1", "muc-1");
    git("commit", "-q", "--amend", "-m", "another first");
    expect((await sync("fleet")).body.data).toMatchObject({ added: 1, removed: 1 });
    git("checkout", "-q", "--orphan", "other");
    write("ham-1");
    git("commit", "-q", "-m", "no common history");
    git("branch", "-q", "-M", "main");
    expect((await sync("fleet")).body.data).toMatchObject({ added: 1, removed: 2 });
    git("branch", "-q", "-M", "elsewhere");
    expect((await sync("fleet")).body).toMatchObject({
      code: -1,
      message: expect.stringMatching(/git failed: .*main/),
    });
    git("branch", "-q", "-M", "main");
  });

  test("that asks for a login is told at once, with or without one", async () => {
    await put("closed", { url: `${url}/private/fleet` });
    const begun = performance.now();
    const without = await sync("closed");
    expect(performance.now() - begun).toBeLessThan(20_000);
    expect(without.body.message).toMatch(/asks for a login.*credential/);
    await put("closed", { url: `${url}/private/fleet`, credential: { name: "env", ref: "git" } });
    expect((await sync("closed")).body.code).toBe(200);
    await put("closed", { url: `${url}/fleet-that-is-not`, credential: null });
    expect((await sync("closed")).body.message).toMatch(/git failed: .*not found/);
    expect(service.output()).not.toContain(token);
  });

  test("that never answers does not hold the source for ever", async () => {
    await put("endless", { url: `${url}/endless/fleet` });
    const begun = performance.now();
    expect((await sync("endless")).body.message).toMatch(/git failed: .*too slow/i);
    expect(performance.now() - begun).toBeLessThan(90_000);
  });
});
