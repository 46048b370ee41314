/** The exported repository: equal ids however it was made, names that are no paths, a full disk, damage. */
import { execFileSync, spawn } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, test } from "vitest";
import { needs } from "../../../scripts/testbed/catalogue.ts";
import { freezeProcess } from "../../../scripts/testbed/process.ts";
import { pause } from "../../../src/base/time/deadline.ts";
import type { ExportedVersion } from "../../../src/history/git/commit.ts";
import { createHistoryRepository, type HistoryRepository } from "../../../src/history/git/repository.ts";
import { descendantsOf } from "../../../src/testkit/listening.ts";
import { tempFolder } from "../../../src/testkit/service.ts";
import { temporary } from "../../support/temporary.ts";
import { versionOf, versionsAfter } from "./versions.ts";

const { signal } = new AbortController();
const mayMount = process.getuid?.() === 0;

const git = (path: string, ...args: string[]) =>
  execFileSync("git", ["-c", "safe.directory=*", "-C", path, ...args], { encoding: "utf8", stdio: "pipe" });
const files = (path: string) => git(path, "ls-tree", "-r", "--name-only", "main").trim().split("\n");

function open(more: Partial<Parameters<typeof createHistoryRepository>[0]> = {}) {
  const path = join(tempFolder(), "history.git");
  return { path, repository: createHistoryRepository({ installation: "test", path, signal, ...more }) };
}

async function* from(
  versions: readonly ExportedVersion[],
  position: number,
): AsyncGenerator<ExportedVersion> {
  for (const version of versions) if (version.position > position) yield version;
}
const append = (repository: HistoryRepository, versions: readonly ExportedVersion[]) =>
  repository.append((position) => from(versions, position));

describe.skipIf(needs("git"))("ids of commits", () => {
  test("are equal when made again, in one run or in many", async () => {
    const [once, twice, steps] = [open(), open(), open({ checkpointCommits: 10 })];
    const head = await once.repository.append((at) => versionsAfter(at, 300));
    expect(head).toMatchObject({ id: expect.stringMatching(/^[0-9a-f]{40}$/), position: 300 });
    expect(await twice.repository.append((at) => versionsAfter(at, 300))).toEqual(head);
    for (let last = 10; last <= 300; last += 10)
      await steps.repository.append((at) => versionsAfter(at, last));
    expect(await steps.repository.head()).toEqual(head);
    // In packs only, and not one for each run.
    const kept = readdirSync(join(steps.path, "objects"));
    expect(kept.filter((name) => name.length === 2)).toEqual([]);
    const packs = readdirSync(join(steps.path, "objects", "pack")).filter((name) => name.endsWith(".pack"));
    expect(packs.length).toBeLessThan(26);
    git(steps.path, "fsck", "--strict", "--full");
    expect(git(steps.path, "rev-list", "--count", "main").trim()).toBe("300");
  });

  test("do not change with the release: the bytes are pinned", async () => {
    const { repository, path } = open();
    const head = await append(repository, [
      versionOf(1, { who: "Ada <x> Lovelace\n" }),
      versionOf(2, { device: "new", formerly: { device: "sw1", group: "site1" } }),
    ]);
    expect(git(path, "cat-file", "commit", "main~1").split("\n").slice(1).join("\n")).toBe(
      [
        "author Ada x Lovelace <> 1767225661 +0000",
        "committer Patchbay <patchbay@localhost> 1767225661 +0000",
        "",
        "update sw1",
        "",
        "Version: sw1 running 1",
        "Job: job-1",
        "Patchbay-Position: test 1",
        "",
      ].join("\n"),
    );
    expect(head?.id).toBe("c1425bb30650a65d9852d5b68390a2f42c647739");
  });

  test("are equal after the writer was killed 20 times", async () => {
    const last = 1_500;
    const { path } = open();
    const child = fileURLToPath(new URL("append-child.ts", import.meta.url));
    for (let round = 0; round < 20; round++) {
      const writer = spawn("bun", [child, path, String(last)], { detached: true });
      await new Promise((begun) => writer.stdout.once("data", begun));
      const after = new Promise((due) => setTimeout(due, Math.random() * 250));
      const ended = new Promise((closed) => writer.on("close", closed));
      await Promise.race([after, ended]);
      // Every second time without its children, which end by themselves.
      if (writer.exitCode === null)
        process.kill(round % 2 === 0 ? -(writer.pid ?? 0) : (writer.pid ?? 0), "SIGKILL");
      await ended;
    }
    const mine = createHistoryRepository({ installation: "test", path, signal });
    const whole = open();
    expect(await mine.append((at) => versionsAfter(at, last))).toEqual(
      await whole.repository.append((at) => versionsAfter(at, last)),
    );
    git(path, "fsck", "--strict", "--full");
  }, 300_000);

  test("are equal after damage: the repository is made again", async () => {
    const { path, repository } = open();
    const head = await repository.append((at) => versionsAfter(at, 50));
    const folder = join(path, "objects", "pack");
    for (const name of readdirSync(folder)) truncateSync(join(folder, name), 100);
    const again = createHistoryRepository({ installation: "test", path, signal });
    expect(await again.head()).toBeUndefined();
    expect(await again.append((at) => versionsAfter(at, 50))).toEqual(head);
  });
});

describe.skipIf(needs("git"))("files", () => {
  test("stand in a folder of their group, and follow a device that changes its name or group", async () => {
    const { path, repository } = open();
    const one = versionOf(1, { device: "core", group: null });
    const two = versionOf(2, { device: "core", group: "berlin", formerly: { device: "core", group: null } });
    const startup = versionOf(3, { device: "core", group: "berlin", part: "startup" });
    const renamed = versionOf(4, {
      device: "core-1",
      group: "berlin",
      formerly: { device: "core", group: "berlin" },
    });
    await append(repository, [one]);
    expect(files(path)).toEqual(["default/core"]);
    await append(repository, [one, two, startup]);
    expect(files(path)).toEqual(["berlin/core", "berlin/core--startup"]);
    await append(repository, [one, two, startup, renamed]);
    expect(files(path)).toEqual(["berlin/core--startup", "berlin/core-1"]);
    expect(git(path, "show", "main:berlin/core-1")).toBe(renamed.text);
  });

  test("of one group: its repository has no others, and loses a device that left", async () => {
    const { path, repository } = open({ folder: "berlin" });
    const versions = [
      versionOf(1, { device: "a", group: "berlin" }),
      versionOf(2, { device: "b", group: "paris" }),
      versionOf(3, { device: "c", group: "berlin" }),
      versionOf(4, { device: "a", group: "paris", formerly: { device: "a", group: "berlin" } }),
    ];
    await append(repository, versions);
    expect(files(path)).toEqual(["c"]);
    expect(git(path, "rev-list", "--count", "main").trim()).toBe("3");
    expect(await repository.head()).toMatchObject({ position: 4 });
  });

  test("have names that no file system, shell or Git reads as something else", async () => {
    const names = [
      "../../etc/passwd",
      ".git",
      ".GIT",
      "git~1",
      "..",
      ".",
      "-rf",
      "a/b",
      "a\\b",
      "a b",
      "con.",
      "a--startup",
      "tab\there",
      'quote"d',
      "line\nM 100644 inline evil",
      "ünïcode",
      "\u200c.git",
      "2001:db8::1",
      "x".repeat(500),
      "",
    ];
    const { path, repository } = open();
    const versions = names.map((device, at) => versionOf(at + 1, { device, group: device, text: `${at}` }));
    await append(repository, versions);
    git(path, "fsck", "--strict");
    const found = files(path);
    expect(found).toHaveLength(names.length);
    for (const name of found)
      expect(name).toMatch(/^(?![.-])[\w.:@+=,%~-]{1,200}\/(?![.-])[\w.:@+=,%~-]{1,200}$/);
    const clone = join(tempFolder(), "clone");
    execFileSync("git", ["-c", "safe.directory=*", "clone", "-q", path, clone]);
    expect(readFileSync(join(clone, "2001:db8::1", "2001:db8::1"), "utf8")).toBe("17");
  });

  test("hold the text byte for byte", async () => {
    const { path, repository } = open();
    const texts = ["", "\n", "no end", "data 5\ndone\ncommit x\n", "\0\x01\u{1F600}\r\n"];
    await append(
      repository,
      texts.map((text, at) => versionOf(at + 1, { device: `d${at}`, group: "g", text })),
    );
    for (const [at, text] of texts.entries()) expect(git(path, "show", `main:g/d${at}`)).toBe(text);
  });
});

describe.skipIf(needs("git"))("trouble", () => {
  const cleanup: (() => void)[] = [];
  afterEach(() => {
    for (const undo of cleanup.splice(0)) undo();
  });

  test.skipIf(!mayMount)("a full disk is told, and once there is room the ids are equal", async () => {
    const disk = temporary();
    execFileSync("/bin/mount", ["-t", "tmpfs", "-o", "size=4m", "tmpfs", disk.path]);
    cleanup.push(() => {
      execFileSync("/bin/umount", [disk.path]);
      disk.remove();
    });
    const path = join(disk.path, "history.git");
    const noise = (version: ExportedVersion) => ({ ...version, text: noisy(version.position, 20_000) });
    const repository = createHistoryRepository({ installation: "test", path, signal, checkpointCommits: 20 });
    const whole = (at: number) => versionsAfter(at, 400, noise);
    await expect(repository.append(whole)).rejects.toMatchObject({ kind: "StorageFull" });
    const kept = await repository.head();
    expect(kept?.position).toBeGreaterThan(0);
    expect(readdirSync(join(path, "objects", "pack")).filter((name) => /tmp/.test(name))).toEqual([]);
    execFileSync("/bin/mount", ["-o", "remount,size=64m", disk.path]);
    const other = open();
    expect(await repository.append(whole)).toEqual(await other.repository.append(whole));
  });

  test("git that is not there, or ends early, is named", async () => {
    const { repository } = open({ program: "/nowhere/git" });
    await expect(repository.append((at) => versionsAfter(at, 5))).rejects.toMatchObject({
      message: expect.stringContaining("git is not installed"),
    });
    const path = tempFolder();
    const program = join(path, "git");
    writeFileSync(
      program,
      '#!/bin/sh\ncase "$*" in *fast-import*) echo "fatal: no" >&2; exit 3;; esac\nexec git "$@"\n',
      {
        mode: 0o755,
      },
    );
    const early = open({ program });
    const many = early.repository.append((at) => versionsAfter(at, 20_000));
    await expect(many).rejects.toMatchObject({ message: expect.stringContaining("git failed: fatal: no") });
  });

  test("an abort ends the run, and nothing is left of it", async () => {
    const stop = new AbortController();
    const { path, repository } = open({ signal: stop.signal });
    async function* endless(position: number) {
      for await (const version of versionsAfter(position, 1_000_000)) {
        if (version.position === 500) stop.abort(new Error("enough"));
        yield version;
      }
    }
    await expect(repository.append(endless)).rejects.toThrow();
    expect(readdirSync(join(path, "objects", "pack")).filter((name) => /tmp/.test(name))).toEqual([]);
  });

  test.each(["a new", "the same"])(
    "what a run that was killed at any moment has left refuses nothing of %s process",
    async (whose) => {
      const whole = open();
      const head = await whole.repository.append((at) => versionsAfter(at, 60));
      const packs = join(whole.path, "objects", "pack");
      const pack = readdirSync(packs).find((name) => name.endsWith(".pack")) ?? "";
      const { path, repository } = open();
      expect(await repository.head()).toBeUndefined();
      mkdirSync(join(path, "refs", "fetched"), { recursive: true });
      for (const name of ["refs/heads/main", "refs/fetched/main", "packed-refs", "HEAD"])
        writeFileSync(join(path, `${name}.lock`), "");
      const ownPacks = join(path, "objects", "pack");
      // Of the pack that the next run makes, and of one that no run makes again.
      writeFileSync(join(ownPacks, pack.replace(".pack", ".keep")), "fast-import");
      copyFileSync(join(packs, pack), join(ownPacks, `pack-${"0".repeat(40)}.pack`));
      writeFileSync(join(ownPacks, "tmp_pack_Ab1234"), "PACK");
      writeFileSync(join(path, "fast_import_crash_4711"), "fast-import crash report");
      const next =
        whose === "the same" ? repository : createHistoryRepository({ installation: "test", path, signal });
      expect(await next.head()).toBeUndefined();
      expect(await next.append((at) => versionsAfter(at, 60))).toEqual(head);
      expect(readdirSync(ownPacks).sort()).toEqual(readdirSync(packs).sort());
      git(path, "fetch", "--quiet", whole.path, "+refs/heads/main:refs/fetched/main");
      git(path, "update-ref", "-d", "refs/fetched/main");
      const rest = readdirSync(path, { recursive: true, encoding: "utf8" });
      expect(rest.filter((name) => /lock|keep|crash|tmp/.test(name))).toEqual([]);
    },
  );

  test("a run whose service was killed is ended before its repository is written again", async () => {
    const { path } = open();
    const child = fileURLToPath(new URL("append-child.ts", import.meta.url));
    const writer = spawn("bun", [child, path, "1000000"]);
    const ended = new Promise((closed) => writer.on("exit", closed));
    const isImport = (pid: number) => /fast-import/.test(readFileSync(`/proc/${pid}/cmdline`, "utf8"));
    let run: number | undefined;
    while (run === undefined) {
      await pause(5);
      run = descendantsOf(writer.pid ?? 0).find(isImport);
    }
    // It holds its pack open, and would go on at any later moment.
    await freezeProcess(run);
    writer.kill("SIGKILL");
    await ended;
    const mine = createHistoryRepository({ installation: "test", path, signal });
    await mine.head();
    // A killed one that nobody has waited for yet has no folder any more.
    expect(existsSync(`/proc/${run}/cwd`)).toBe(false);
    const whole = open();
    const last = 300;
    const position = (await mine.head())?.position ?? 0;
    expect(await mine.append((at) => versionsAfter(at, position + last))).toEqual(
      await whole.repository.append((at) => versionsAfter(at, position + last)),
    );
  });

  test.skipIf(!mayMount)(
    "a run that has another folder of the same path, as in a container, is left alone",
    async () => {
      const { path, repository } = open();
      await repository.head();
      // Without a parent of ours, in a mount namespace of its own.
      const script = 'mount --bind "$0" "$1" && echo $$ && exec sleep 60';
      const elsewhere = 'setsid --fork unshare --mount sh -c "$0" "$1" "$2"';
      const foreign = spawn("sh", ["-c", elsewhere, script, tempFolder(), path], {
        env: { ...process.env, HOME: path },
        stdio: ["ignore", "pipe", "inherit"],
      });
      const pid = await new Promise<number>((told) =>
        foreign.stdout.once("data", (text: Buffer) => told(Number(text))),
      );
      await createHistoryRepository({ installation: "test", path, signal }).head();
      expect(existsSync(`/proc/${pid}/cwd`)).toBe(true);
      process.kill(pid, "SIGKILL");
    },
  );

  test("a run of the same process goes on while its repository is opened again", async () => {
    const { path, repository } = open();
    const noise = (version: ExportedVersion) => ({ ...version, text: noisy(version.position, 20_000) });
    await repository.append((at) => versionsAfter(at, 100, noise));
    const { stdout, ended } = await repository.bundle(signal);
    await createHistoryRepository({ installation: "test", path, signal }).head();
    stdout.resume();
    expect(await ended).toBe(0);
  });

  test("a branch that something else has written to is not continued", async () => {
    const { path, repository } = open();
    await repository.append((at) => versionsAfter(at, 3));
    const tree = git(path, "rev-parse", "main^{tree}").trim();
    const id = git(
      path,
      "-c",
      "user.name=x",
      "-c",
      "user.email=x@x",
      "commit-tree",
      "-p",
      "main",
      "-m",
      "mine",
      tree,
    ).trim();
    git(path, "update-ref", "refs/heads/main", id);
    await expect(repository.append((at) => versionsAfter(at, 5))).rejects.toThrow("not made by this service");
  });

  test("a bundle can be cloned, and is made of versions only", async () => {
    const { repository } = open();
    await expect(repository.bundle(signal)).rejects.toMatchObject({ kind: "NotFound" });
    const head = await repository.append((at) => versionsAfter(at, 40));
    const { stdout, ended } = await repository.bundle(signal);
    const pieces: Buffer[] = [];
    for await (const piece of stdout) pieces.push(piece);
    await ended;
    const file = join(tempFolder(), "x.bundle");
    writeFileSync(file, Buffer.concat(pieces));
    expect(statSync(file).size).toBeGreaterThan(1_000);
    const clone = join(tempFolder(), "clone");
    execFileSync("git", ["clone", "-q", file, clone]);
    expect(git(clone, "rev-parse", "HEAD").trim()).toBe(head?.id);
  });
});

/** Text that does not compress, the same for the same seed. */
function noisy(seed: number, chars: number): string {
  let state = seed * 2_654_435_761;
  let text = "";
  while (text.length < chars) {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_507) + 0x9e3779b9) | 0;
    text += (state >>> 0).toString(36);
  }
  return text;
}
