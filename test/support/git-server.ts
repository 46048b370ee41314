/** Repositories over HTTPS by git's own server program, with a login. */
import { execFileSync, spawn } from "node:child_process";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { selfSigned } from "./certificates.ts";

export interface GitServer {
  readonly url: string;
  /** PEM; it is its own authority. */
  readonly certificate: string;
  /** Requested paths. */
  readonly seen: string[];
  /** Redirect target for all requests. */
  redirectTo: string | undefined;
  /** Answers in its place. */
  instead: ((request: IncomingMessage, response: ServerResponse) => void) | undefined;
  close(): void;
}

export async function startGitServer(root: string, authorization: string): Promise<GitServer> {
  const backend = join(execFileSync("git", ["--exec-path"], { encoding: "utf8" }).trim(), "git-http-backend");
  const { cert, key } = await selfSigned("git", "127.0.0.1");
  const server = createServer({ cert, key }, answer);
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  const git: GitServer = {
    url: `https://127.0.0.1:${port}`,
    certificate: cert,
    seen: [],
    redirectTo: undefined,
    instead: undefined,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };

  function answer(request: IncomingMessage, response: ServerResponse): void {
    git.seen.push(request.url ?? "");
    if (git.instead !== undefined) return void git.instead(request, response);
    if (git.redirectTo !== undefined) return void response.writeHead(302, { Location: git.redirectTo }).end();
    if (request.headers.authorization !== authorization)
      return void response.writeHead(401, { "WWW-Authenticate": 'Basic realm="git"' }).end();
    const url = new URL(request.url ?? "/", git.url);
    const child = spawn(backend, {
      env: {
        GIT_PROJECT_ROOT: root,
        GIT_HTTP_EXPORT_ALL: "1",
        GIT_CONFIG_COUNT: "1",
        GIT_CONFIG_KEY_0: "safe.directory",
        GIT_CONFIG_VALUE_0: "*",
        PATH_INFO: url.pathname,
        QUERY_STRING: url.search.slice(1),
        REQUEST_METHOD: request.method ?? "GET",
        CONTENT_TYPE: request.headers["content-type"] ?? "",
        HTTP_CONTENT_ENCODING: request.headers["content-encoding"] ?? "",
        GIT_PROTOCOL: String(request.headers["git-protocol"] ?? ""),
        PATH: process.env.PATH,
      },
    });
    const pieces: Buffer[] = [];
    child.stdout.on("data", (piece: Buffer) => pieces.push(piece));
    child.on("close", () => send(Buffer.concat(pieces), response));
    request.pipe(child.stdin);
  }

  return git;
}

/** Splits CGI output: headers, an empty line, and the body. */
function send(output: Buffer, response: ServerResponse): void {
  const end = output.indexOf("\r\n\r\n");
  const headers = output
    .subarray(0, end)
    .toString("latin1")
    .split("\r\n")
    .map((line) => line.split(/: (.*)/s));
  const status = Number(headers.find(([name]) => name === "Status")?.[1]?.slice(0, 3) ?? 200);
  for (const [name = "", value = ""] of headers)
    if (name !== "Status" && name !== "") response.setHeader(name, value);
  response.writeHead(status).end(output.subarray(end + 4));
}
