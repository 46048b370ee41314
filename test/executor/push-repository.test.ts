/** A repository is pushed over real HTTPS and SSH: never forced, bounded, and only where it may go. */
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as v from "valibot";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { needs } from "../../scripts/testbed/catalogue.ts";
import { type Sshd, startSshd } from "../../scripts/testbed/openssh.ts";
import { run } from "../../scripts/testbed/run.ts";
import { ServiceError } from "../../src/base/errors.ts";
import { createMasking } from "../../src/executor/masking.ts";
import { createRepositoryPusher } from "../../src/executor/outside/push-repository.ts";
import { createHistoryRepository } from "../../src/history/git/repository.ts";
import type { CredentialPlugin } from "../../src/plugin/index.ts";
import type { RepositoryTask } from "../../src/protocol/task.ts";
import { createPluginLoader } from "../../src/registry/loader.ts";
import { createRegistry } from "../../src/registry/registry.ts";
import { tempFolder } from "../../src/testkit/service.ts";
import { versionsAfter } from "../history/git/versions.ts";
import { taskContext } from "../plugin/context.ts";
import { type GitServer, startGitServer } from "../support/git-server.ts";

const { signal } = new AbortController();
const token = "push-canary-0123456789";

const git = (path: string, ...args: string[]) =>
  execFileSync("git", ["-c", "safe.directory=*", "-C", path, ...args], {
    encoding: "utf8",
    stdio: "pipe",
  }).trim();

/** A local repository with versions; more can be added. */
async function local(last: number) {
  const path = join(tempFolder(), "history.git");
  const repository = createHistoryRepository({ installation: "test", path, signal });
  const grow = async (to: number) => (await repository.append((at) => versionsAfter(at, to)))?.id ?? "";
  return { path, grow, head: await grow(last) };
}

/** An empty repository that may be pushed to. */
function bare(folder: string, name: string): string {
  const path = join(folder, name);
  execFileSync("git", ["init", "-q", "--bare", "-b", "main", path]);
  git(path, "config", "http.receivepack", "true");
  return path;
}

const login: Record<string, string> = {};
const known: { type: string; fingerprint: string; mark?: "revoked" }[] = [];
let resolveTo: string | Error = "127.0.0.1";

const notUsed = () => Promise.reject(new Error("not used"));

function pusher() {
  const source: CredentialPlugin = {
    ...{ api: 1, kind: "credential", name: "test" },
    reference: v.object({ name: v.literal("test") }),
    load: async () => ({ default: async () => ({ ...login }) }),
  };
  const registry = createRegistry();
  registry.add(source, "test");
  return createRepositoryPusher({
    credentials: {
      registry,
      loaded: createPluginLoader(),
      ask: notUsed,
      kit: {
        log: taskContext().log,
        http: { request: notUsed, session: notUsed },
        files: { localFile: notUsed, localFolder: notUsed, keyFile: notUsed, discoverKeys: notUsed },
      },
    },
    async check() {
      if (resolveTo instanceof Error) throw resolveTo;
      return { address: resolveTo, family: 4 };
    },
    hostKeys: { knownKeys: () => known },
  });
}

function push(task: Partial<RepositoryTask> & Pick<RepositoryTask, "path" | "url">, ms = 150_000) {
  const whole: RepositoryTask = {
    ...{ kind: "repository", does: "push", head: "", branch: "main", verify: true, reach: [] },
    credential: { name: "test" },
    ...task,
  };
  return pusher()(whole, taskContext({}, ms), createMasking().task());
}

const leftovers = () => readdirSync(tmpdir()).filter((name) => name.startsWith("patchbay-push-"));

describe.skipIf(needs("git"))("over HTTPS", () => {
  const root = tempFolder();
  let server: GitServer;
  const to = (name: string) => ({ url: `${server.url}/${name}`, authorities: server.certificate });

  beforeAll(async () => {
    server = await startGitServer(root, `Basic ${Buffer.from(`bob:${token}`).toString("base64")}`);
    Object.assign(login, { username: "bob", token });
  });
  afterAll(() => server.close());

  test("versions arrive with their ids; again it does nothing; then only what is new", async () => {
    const remote = bare(root, "net.git");
    const { path, head, grow } = await local(60);
    expect(await push({ path, head, ...to("net.git") })).toEqual({ head, moved: true });
    expect(git(remote, "rev-parse", "main")).toBe(head);
    expect(await push({ path, head, ...to("net.git") })).toEqual({ head, moved: false });
    const next = await grow(70);
    expect(await push({ path, head: next, ...to("net.git") })).toEqual({ head: next, moved: true });
    expect(git(remote, "rev-list", "--count", "main")).toBe("70");
    git(remote, "fsck", "--strict", "--full");
    // To a branch of another name, and from a copy that was made again.
    const again = await local(70);
    expect(await push({ path: again.path, head: next, ...to("net.git") })).toEqual({
      head: next,
      moved: false,
    });
    await push({ path, head: next, branch: "backup/patchbay", ...to("net.git") });
    expect(git(remote, "rev-parse", "backup/patchbay")).toBe(next);
    expect(leftovers()).toEqual([]);
  });

  test("commits of others are kept: it stops and says what to do", async () => {
    const remote = bare(root, "shared.git");
    const { path, head, grow } = await local(5);
    await push({ path, head, ...to("shared.git") });
    const tree = git(remote, "rev-parse", "main^{tree}");
    const person = ["-c", "user.name=x", "-c", "user.email=x@x"];
    const theirs = git(remote, ...person, "commit-tree", "-p", "main", "-m", "theirs", tree);
    git(remote, "update-ref", "refs/heads/main", theirs);
    const next = await grow(8);
    await expect(push({ path, head: next, ...to("shared.git") })).rejects.toMatchObject({
      kind: "Conflict",
      message: expect.stringMatching(/did not push.*never forced|did not push.*ever forced/),
    });
    expect(git(remote, "rev-parse", "main")).toBe(theirs);
    git(remote, "update-ref", "refs/heads/main", head);
    expect(await push({ path, head: next, ...to("shared.git") })).toEqual({ head: next, moved: true });
  });

  test("a branch is fetched to continue it, and none is none", async () => {
    const remote = bare(root, "old.git");
    const { path, head } = await local(12);
    const empty = await local(0);
    expect(await push({ path: empty.path, does: "fetch", ...to("old.git") })).toEqual({
      head: null,
      moved: false,
    });
    await push({ path, head, ...to("old.git") });
    expect(await push({ path: empty.path, does: "fetch", ...to("old.git") })).toEqual({ head, moved: true });
    expect(git(empty.path, "rev-parse", "refs/fetched/main")).toBe(head);
    expect(git(remote, "rev-parse", "main")).toBe(head);
  });

  test("a wrong login, an unknown authority and an address that is not allowed are told, without the token", async () => {
    bare(root, "closed.git");
    const { path, head } = await local(2);
    const failed = async (task: Partial<RepositoryTask>) =>
      push({ path, head, ...to("closed.git"), ...task }).then(
        () => undefined,
        (error: ServiceError) => error,
      );
    login.token = `${token}-wrong`;
    const wrong = await failed({});
    login.token = token;
    expect(wrong).toMatchObject({ kind: "AuthenticationFailed" });
    expect(wrong?.message).not.toContain(token);
    const { authorities: _ca, ...unknown } = { path, head, ...to("closed.git") };
    await expect(push(unknown)).rejects.toThrow(/certificate/i);
    expect(await push({ ...unknown, verify: false })).toMatchObject({ moved: true });
    resolveTo = new ServiceError("Forbidden", "The address is not allowed (PATCHBAY_URL_ALLOW).");
    expect(await failed({})).toMatchObject({ kind: "Forbidden" });
    resolveTo = "127.0.0.1";
    server.redirectTo = `${server.url}/elsewhere.git`;
    expect(await failed({})).toMatchObject({ kind: "CommandError" });
    server.redirectTo = undefined;
    expect(server.seen.filter((seen) => seen.startsWith("/elsewhere"))).toEqual([]);
    expect(await failed({ url: `${server.url}/missing.git` })).toMatchObject({
      message: expect.stringMatching(/not found|403|404/),
    });
  });

  test("a remote that refuses, or only says that it took it, is named", async () => {
    const remote = bare(root, "hooks.git");
    const { path, head } = await local(3);
    const hook = (name: string, text: string) =>
      writeFileSync(join(remote, "hooks", name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
    hook("pre-receive", "echo too many words >&2; exit 1");
    await expect(push({ path, head, ...to("hooks.git") })).rejects.toMatchObject({
      kind: "CommandError",
      message: expect.stringMatching(/refused the branch main: .*pre-receive hook declined/),
    });
    hook("pre-receive", "exit 0");
    hook("post-receive", "git update-ref -d refs/heads/main");
    await expect(push({ path, head, ...to("hooks.git") })).rejects.toThrow(
      /said that it took.*does not have it/,
    );
  });

  test("a remote that never answers ends with the deadline, one without end at a bound", async () => {
    const { path, head } = await local(3);
    server.instead = () => {};
    await expect(push({ path, head, ...to("net.git") }, 1_500)).rejects.toMatchObject({
      message: expect.stringMatching(/late|too long/),
    });
    let sent = 0;
    server.instead = (_request, response) => {
      response.writeHead(200, { "Content-Type": "application/x-git-receive-pack-advertisement" });
      response.write("001f# service=git-receive-pack\n0000");
      const id = "1".repeat(40);
      const piece = Array.from({ length: 2_000 }, (_, at) =>
        line(`${id} refs/heads/${at}-${"x".repeat(2_000)}`),
      );
      const more = () => {
        sent += 1;
        if (!response.destroyed) response.write(piece.join(""), more);
      };
      more();
    };
    await expect(push({ path, head, ...to("net.git") })).rejects.toMatchObject({ kind: "CommandError" });
    expect(sent).toBeGreaterThan(1);
    server.instead = (_request, response) => void response.writeHead(200).end("nonsense\n".repeat(1_000));
    await expect(push({ path, head, ...to("net.git") })).rejects.toMatchObject({ kind: "CommandError" });
    server.instead = undefined;
    expect(leftovers()).toEqual([]);
  });

  test("nothing listens: unreachable", async () => {
    const { path, head } = await local(2);
    const free = createServer();
    await new Promise<void>((done) => free.listen(0, "127.0.0.1", done));
    const { port } = free.address() as AddressInfo;
    await new Promise((done) => free.close(done));
    await expect(push({ path, head, url: `https://127.0.0.1:${port}/x.git` })).rejects.toThrow(
      /git failed: .*connect/i,
    );
    await expect(push({ path, head, url: `ssh://git@127.0.0.1:${port}/x.git` })).rejects.toMatchObject({
      kind: "HostUnreachable",
    });
  });
});

describe.skipIf(needs("git", "openssh"))("over SSH", () => {
  const keys = tempFolder();
  let sshd: Sshd;
  let remote: string;
  let url: string;

  beforeAll(async () => {
    for (const [name, passphrase] of [
      ["plain", ""],
      ["closed", "words of a passphrase"],
    ])
      run(["ssh-keygen", "-q", "-t", "ed25519", "-N", passphrase ?? "", "-f", join(keys, name ?? "")], {
        mustSucceed: true,
      });
    const authorizedKeys = ["plain", "closed"].map((name) =>
      readFileSync(join(keys, `${name}.pub`), "utf8").trim(),
    );
    sshd = await startSshd({ authorizedKeys });
    mkdirSync(join(sshd.folder, "git"));
    remote = bare(join(sshd.folder, "git"), "net.git");
    run(["chown", "-R", sshd.user, join(sshd.folder, "git")], { mustSucceed: true });
    url = `ssh://${sshd.user}@127.0.0.1:${sshd.port}${remote}`;
  });
  afterAll(() => sshd.stop());

  function logInWith(name: string, passphrase?: string): void {
    for (const field of Object.keys(login)) delete login[field];
    login.pkey = readFileSync(join(keys, name), "utf8");
    if (passphrase !== undefined) login.passphrase = passphrase;
  }

  test("with a key that is in no file, to a server whose key is known", async () => {
    logInWith("plain");
    const { path, head, grow } = await local(30);
    const [key] = sshd.hostKeys;
    await expect(push({ path, head, url })).rejects.toMatchObject({
      kind: "HostKeyMismatch",
      message: expect.stringMatching(
        new RegExp(`not known.*${key?.fingerprint.slice(7, 20).replaceAll("+", "\\+")}`),
      ),
    });
    const other = `SHA256:${"A".repeat(43)}`;
    await expect(push({ path, head, url, hostKey: other })).rejects.toThrow(/does not match the known one/);
    expect(await push({ path, head, url, hostKey: key?.fingerprint ?? "" })).toEqual({ head, moved: true });
    known.push({ type: "ssh-ed25519", fingerprint: key?.fingerprint ?? "" });
    expect(await push({ path, head, url })).toEqual({ head, moved: false });
    known.push({ type: "ssh-ed25519", fingerprint: key?.fingerprint ?? "", mark: "revoked" });
    await expect(push({ path, head, url })).rejects.toMatchObject({ kind: "HostKeyMismatch" });
    known.pop();
    logInWith("closed", "words of a passphrase");
    const next = await grow(33);
    expect(await push({ path, head: next, url })).toEqual({ head: next, moved: true });
    expect(git(remote, "rev-parse", "main")).toBe(next);
    expect(leftovers()).toEqual([]);
  });

  test("a wrong passphrase, a key that the server does not know, no key at all", async () => {
    const { path, head } = await local(2);
    logInWith("closed", "other words");
    await expect(push({ path, head, url })).rejects.toThrow(/git failed/);
    run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", join(keys, "stranger")], { mustSucceed: true });
    logInWith("stranger");
    await expect(push({ path, head, url })).rejects.toMatchObject({ kind: "AuthenticationFailed" });
    delete login.pkey;
    await expect(push({ path, head, url })).rejects.toMatchObject({ kind: "AuthenticationFailed" });
  });
});

/** A line of git's protocol. */
function line(text: string): string {
  return `${(text.length + 5).toString(16).padStart(4, "0")}${text}\n`;
}
