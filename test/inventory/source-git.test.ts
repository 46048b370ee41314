/** Repositories over real SSH: the agent's key, and host keys from the operator's file. */
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import fetchRepository from "../../plugins/inventory/git/fetch.ts";
import { needs } from "../../scripts/testbed/catalogue.ts";
import { type Sshd, startSshd } from "../../scripts/testbed/openssh.ts";
import { run } from "../../scripts/testbed/run.ts";
import { folderBelow } from "../../src/base/files/file-below.ts";
import type { Context } from "../../src/plugin/kit/kit.ts";
import { tempFolder } from "../../src/testkit/service.ts";
import { taskContext } from "../plugin/context.ts";
import { startGitServer } from "../support/git-server.ts";

const folder = tempFolder();
const socket = join(folder, "agent");
const knownHosts = join(folder, "known_hosts");

const task = (url: string) => ({ url, verify: true, options: { path: "a.csv" } });
const options = {
  templateRoots: [] as string[],
  ssh: { knownHosts: [knownHosts], agentSocket: socket },
  resolveHost: async (_hostname: string) => "127.0.0.1",
  hide: (_secret: string) => {},
};

/** Reads a single file. */
async function readRepository(
  source: ReturnType<typeof task>,
  login: { username?: string; token?: string },
  {
    templateRoots,
    program,
    maxFetched,
    ...tools
  }: typeof options & { program?: string; maxFetched?: number },
  ctx: Context,
): Promise<string> {
  const given = { ...source, login, ...tools };
  const templateFolder = (path: string) => folderBelow(templateRoots, path, "read");
  const limits = {
    ...(program === undefined ? {} : { program }),
    ...(maxFetched === undefined ? {} : { maxFetched }),
  };
  const fetched = await fetchRepository({ ...given, templateFolder }, ctx, limits);
  return "files" in fetched ? (fetched.files[0]?.text ?? "") : "";
}

function makeRepository(folder: string): void {
  const git = (...args: string[]) =>
    run(["git", "-C", folder, "-c", "user.name=t", "-c", "user.email=t@example", ...args], {
      mustSucceed: true,
    });
  git("init", "-q", "-b", "main");
  writeFileSync(join(folder, "a.csv"), "name\nr1\n");
  git("add", "-A");
  git("commit", "-q", "-m", "first");
}

test("a missing git program is named in the error", async () => {
  const reading = readRepository(
    task("ssh://git.test/x"),
    {},
    { ...options, program: "/nowhere/git" },
    taskContext(),
  );
  await expect(reading).rejects.toMatchObject({
    message: expect.stringContaining("git is not installed"),
  });
});

test("a repository above the size limit is rejected and deleted", async () => {
  const large = join(folder, "large");
  mkdirSync(large);
  writeFileSync(join(large, "noise.bin"), randomBytes(512 * 1024));
  makeRepository(large);
  const here = { ...options, templateRoots: [folder] };
  const url = pathToFileURL(large).href;
  await expect(
    readRepository(task(url), {}, { ...here, maxFetched: 128 * 1024 }, taskContext()),
  ).rejects.toMatchObject({ kind: "PayloadTooLarge" });
  expect(await readRepository(task(url), {}, here, taskContext())).toBe("name\nr1\n");
});

test("the clone of a killed service is removed by the next sync, and a younger one is not", async () => {
  const [old, young] = [tempFolder("patchbay-git-"), tempFolder("patchbay-git-")];
  utimesSync(old, new Date(0), new Date(0));
  const reading = readRepository(task("ftp://git.test/x"), {}, options, taskContext());
  await expect(reading).rejects.toMatchObject({ kind: "Forbidden" });
  expect([existsSync(old), existsSync(young)]).toEqual([false, true]);
  rmSync(young, { recursive: true });
});

test("other URL schemes and folders outside the allowed roots are refused", async () => {
  for (const url of [
    "ext::sh -c id",
    "http://git.test/x",
    "git://git.test/x",
    "file:///etc",
    "file://host/etc",
  ])
    await expect(readRepository(task(url), {}, options, taskContext())).rejects.toMatchObject({
      kind: "Forbidden",
    });
});

test.skipIf(needs("git"))(
  "git connects to the checked host, though it would read another host from the URL",
  async () => {
    const dialled: string[] = [];
    const other = createServer((socket) => {
      dialled.push("the other host");
      socket.destroy();
    });
    await new Promise<void>((done) => other.listen(0, "127.0.0.1", done));
    const { port } = other.address() as AddressInfo;
    const checking = {
      ...options,
      async resolveHost(hostname: string) {
        dialled.push(hostname);
        return "127.0.0.3";
      },
    };
    try {
      // A backslash ends the host of a URL, but to git all before the @ is a user name.
      for (const url of [
        `https://git.test\\@127.0.0.1:${port}/x.git`,
        `https:git.test\\@127.0.0.1:${port}/x.git`,
      ])
        await expect(readRepository(task(url), {}, checking, taskContext())).rejects.toThrow("git failed");
    } finally {
      other.close();
    }
    expect(dialled).toEqual(["git.test", "git.test"]);
  },
);

test.skipIf(needs("git"))("over HTTPS the login is sent to the repository's host only", async () => {
  const root = tempFolder();
  const repository = join(root, "net");
  mkdirSync(repository);
  makeRepository(repository);
  const server = await startGitServer(root, `Basic ${Buffer.from("bob:canary-word").toString("base64")}`);
  const login = { username: "bob", token: "canary-word" };
  const from = (more: Partial<ReturnType<typeof task>> = {}) => ({
    ...task(`${server.url}/net/.git`),
    verify: false,
    ...more,
  });
  const secrets: string[] = [];
  const noting = { ...options, hide: (secret: string) => void secrets.push(secret) };
  try {
    expect(await readRepository(from(), login, noting, taskContext())).toBe("name\nr1\n");
    expect(secrets).toEqual([Buffer.from("bob:canary-word").toString("base64")]);
    const wrong = readRepository(from(), { ...login, token: "other" }, noting, taskContext());
    await expect(wrong).rejects.toMatchObject({ kind: "AuthenticationFailed" });
    const checked = readRepository(from({ verify: true }), login, noting, taskContext());
    await expect(checked).rejects.toThrow(/git failed: .*certificate/i);
    server.redirectTo = `${server.url}/elsewhere/.git`;
    await expect(readRepository(from(), login, noting, taskContext())).rejects.toThrow("git failed");
    expect(server.seen.filter((path) => path.startsWith("/elsewhere"))).toEqual([]);
  } finally {
    server.close();
  }
});

describe.skipIf(needs("git", "openssh"))("a git repository over SSH", () => {
  let sshd: Sshd;
  let agent: ReturnType<typeof spawn>;
  let url: string;

  beforeAll(async () => {
    run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", join(folder, "key")], { mustSucceed: true });
    sshd = await startSshd({ authorizedKeys: [readFileSync(join(folder, "key.pub"), "utf8").trim()] });
    agent = spawn("ssh-agent", ["-D", "-a", socket], { stdio: "ignore" });
    // The socket exists shortly before it accepts connections: exit code 2 means that the agent cannot be
    // reached.
    const agents = ["env", `SSH_AUTH_SOCK=${socket}`, "ssh-add"];
    while (run([...agents, "-l"]).status === 2) await new Promise((resolve) => setTimeout(resolve, 10));
    run([...agents, "-q", join(folder, "key")], { mustSucceed: true });
    const repository = join(sshd.folder, "net");
    mkdirSync(repository);
    makeRepository(repository);
    run(["chown", "-R", sshd.user, repository], { mustSucceed: true });
    url = `ssh://${sshd.user}@git.test:${sshd.port}${repository}`;
  });
  afterAll(async () => {
    agent.kill();
    await sshd.stop();
  });

  test("is read only if its server is in known_hosts", async () => {
    writeFileSync(knownHosts, "");
    await expect(readRepository(task(url), {}, options, taskContext())).rejects.toMatchObject({
      kind: "HostKeyMismatch",
      message: expect.stringMatching(/^git failed: .*host key that is not in known_hosts/),
    });
    const { stdout } = run(["ssh-keyscan", "-T", "120", "-p", String(sshd.port), "127.0.0.1"]);
    writeFileSync(knownHosts, stdout.replaceAll("[127.0.0.1]", "[git.test]"));
    expect(await readRepository(task(url), {}, options, taskContext())).toBe("name\nr1\n");
  });

  const over = (source = task(url), more: Partial<typeof options> & { maxFetched?: number } = {}) =>
    readRepository(source, {}, { ...options, ...more }, taskContext());

  test("is read as it is after its history was rewritten, and without its branch it fails", async () => {
    const repository = new URL(url).pathname;
    const git = (...args: string[]) =>
      run(
        [
          ...["git", "-C", repository, "-c", `safe.directory=${repository}`],
          ...["-c", "user.name=t", "-c", "user.email=t@example", ...args],
        ],
        { mustSucceed: true },
      );
    const main = { ...task(url), options: { path: "a.csv", ref: "main" } };
    const commit = (name: string, ...how: string[]) => {
      writeFileSync(join(repository, "a.csv"), `name\n${name}\n`);
      git("commit", "-q", "-a", "-m", name, ...how);
      run(["chown", "-R", sshd.user, repository], { mustSucceed: true });
    };
    commit("r2", "--amend");
    expect(await over(main)).toBe("name\nr2\n");
    git("checkout", "-q", "--orphan", "other");
    commit("r3");
    git("branch", "-q", "-M", "main");
    expect(await over(main)).toBe("name\nr3\n");
    git("branch", "-q", "-M", "elsewhere");
    await expect(over(main)).rejects.toThrow(/git failed: .*main/);
    git("branch", "-q", "-M", "main");
  });

  test("is not read from a server with another host key", async () => {
    const right = readFileSync(knownHosts, "utf8");
    const other = join(folder, "other-host");
    run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", other], { mustSucceed: true });
    writeFileSync(knownHosts, `[git.test]:${sshd.port} ${readFileSync(`${other}.pub`, "utf8")}`);
    await expect(over()).rejects.toMatchObject({
      kind: "HostKeyMismatch",
      message: expect.stringMatching(/^git failed: .*another host key than known_hosts says/),
    });
    writeFileSync(knownHosts, right);
  });

  test("that wants a password fails at once as a login that is missing", async () => {
    await expect(
      over(task(url), { ssh: { ...options.ssh, agentSocket: join(folder, "none") } }),
    ).rejects.toMatchObject({
      kind: "AuthenticationFailed",
      message: expect.stringMatching(/agent/),
    });
  });

  test("of a large repository is rejected while it is received", async () => {
    const repository = join(sshd.folder, "large");
    mkdirSync(repository);
    writeFileSync(join(repository, "noise.bin"), randomBytes(4 * 1024 * 1024));
    makeRepository(repository);
    run(["chown", "-R", sshd.user, repository], { mustSucceed: true });
    const large = task(url.replace(/\/net$/, "/large"));
    await expect(over(large, { maxFetched: 128 * 1024 })).rejects.toMatchObject({ kind: "PayloadTooLarge" });
    expect(await over(large)).toBe("name\nr1\n");
  });

  test("whose server says nothing is left at the limit, and no ssh stays", async () => {
    const silent = createServer(() => {});
    await new Promise<void>((done) => silent.listen(0, "127.0.0.1", done));
    const { port } = silent.address() as AddressInfo;
    const left = readRepository(
      task(`ssh://git@git.test:${port}/silent`),
      {},
      options,
      taskContext({ remaining: () => 3_000 }),
    );
    await expect(left).rejects.toMatchObject({ kind: "ConnectionTimeout" });
    expect(run(["pgrep", "-f", `git@git.test.*${port}|-p ${port} `]).stdout).toBe("");
    silent.close();
  });
});
