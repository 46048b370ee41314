/** Repositories of Oxidized and RANCID as versions: merges, renames, deletions, links, odd bytes, hostile names. */
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { needs } from "../../../scripts/testbed/catalogue.ts";
import {
  formatOf,
  type KeptVersion,
  keptVersions,
  type LeftOut,
} from "../../../src/client/input/kept-versions.ts";
import { tempFolder } from "../../../src/testkit/service.ts";

const { signal } = new AbortController();

/** A repository made of a stream of `git fast-import`; bytes above ASCII are latin1. */
function repository(stream: string): string {
  const path = join(tempFolder(), "net.git");
  execFileSync("git", ["init", "-q", "--bare", "-b", "main", path]);
  const { status, stderr } = spawnSync("git", ["-C", path, "fast-import", "--quiet"], {
    input: Buffer.from(stream, "latin1"),
  });
  if (status !== 0) throw new Error(stderr.toString());
  return path;
}

let second = 1_700_000_000;
function commit(
  files: Record<string, string | null>,
  more: { who?: string; message?: string; from?: string; merge?: string } = {},
) {
  const { who = "Oxidized <o@example.com>", message = "update x" } = more;
  second += 60;
  return [
    `commit refs/heads/main`,
    `author ${who} ${second} +0200`,
    `committer ${who} ${second} +0200`,
    `data ${message.length}\n${message}`,
    ...(more.from === undefined ? [] : [`from ${more.from}`]),
    ...(more.merge === undefined ? [] : [`merge ${more.merge}`]),
    ...Object.entries(files).map(([path, text]) =>
      text === null ? `D ${path}` : `M 100644 inline ${path}\ndata ${text.length}\n${text}`,
    ),
    "\n",
  ].join("\n");
}

async function read(path: string, more: Partial<Parameters<typeof keptVersions>[0]> = {}) {
  const versions: KeptVersion[] = [];
  const leftOut: LeftOut[] = [];
  const options = { path, format: "oxidized" as const, maxChars: 10_000, signal, ...more };
  for await (const version of keptVersions({ ...options, onLeftOut: (left) => leftOut.push(left) }))
    versions.push(version);
  return { versions, leftOut };
}
const shortOf = ({ device, group, part, text }: KeptVersion) =>
  [group ?? "", device, part, text.trim()].join("|");

describe.skipIf(needs("git"))("versions of a repository", () => {
  test("are the commits that change a device's file, oldest first, with author, time and words", async () => {
    const path = repository(
      commit({ "ber/sw1": "a\n" }, { who: "Ada Lovelace <ada@example.net>", message: "CHG-7 more ports" }) +
        commit({ "ber/sw1": "b\n", sw2: "c\n" }) +
        commit({ "ber/sw1": null }) +
        commit({ "ber/sw1": "d\n" }),
    );
    const { versions, leftOut } = await read(path);
    expect(versions.map(shortOf)).toEqual([
      "ber|sw1|running|a",
      "ber|sw1|running|b",
      "|sw2|running|c",
      "ber|sw1|running|d",
    ]);
    expect(versions[0]).toMatchObject({
      who: "Ada Lovelace",
      note: "CHG-7 more ports",
      origin: expect.stringMatching(/^git:[0-9a-f]{40}$/),
    });
    expect(versions[0]?.taken_at).toBe(new Date((second - 180) * 1000).toISOString());
    expect(versions[1]).not.toHaveProperty("note");
    expect(leftOut).toEqual([]);
    expect((await read(path, { group: "all" })).versions.map(({ group }) => group)).toEqual(
      Array(4).fill("all"),
    );
    // The same from a clone that is not bare, and read again.
    const clone = join(tempFolder(), "clone");
    execFileSync("git", ["clone", "-q", path, clone]);
    expect((await read(clone)).versions).toEqual(versions);
  });

  test("a merged branch is one version, so that the last one is what the repository has", async () => {
    const path = repository(
      `${commit({ sw1: "base\n" })}mark :1\n`
        .replace("commit refs/heads/main\n", "commit refs/heads/main\nmark :1\n")
        .replace(/mark :1\n$/, "") +
        commit({ sw1: "main\n" }).replace("commit refs/heads/main\n", "commit refs/heads/main\nmark :2\n") +
        commit({ sw1: "side 1\n" }, { from: ":1" }).replace("refs/heads/main", "refs/heads/side") +
        commit({ sw1: "side 2\n" }).replace("commit refs/heads/main\n", "commit refs/heads/side\nmark :3\n") +
        commit({ sw1: "side 2\n" }, { from: ":2", merge: ":3", message: "merged" }),
    );
    expect((await read(path)).versions.map(({ text }) => text.trim())).toEqual(["base", "main", "side 2"]);
  });

  test("a renamed file begins under its new name, and times never go back", async () => {
    const begin = commit({ old: "a\n" }) + commit({ old: null, new: "a\n" });
    second -= 600;
    const path = repository(begin + commit({ new: "b\n" }));
    const { versions } = await read(path);
    expect(versions.map(shortOf)).toEqual(["|old|running|a", "|new|running|a", "|new|running|b"]);
    expect(versions[2]?.taken_at).toBe(versions[1]?.taken_at);
  });

  test("binary, large, linked and hostile files are left out or harmless, and told", async () => {
    const latin = "hostname caf\xe9\n";
    const path = repository(
      commit({
        sw1: latin,
        sw2: "a\0b",
        sw3: "x".repeat(20_000),
        sw4: "y".repeat(50_000),
        ".gitignore": "x",
        "README.md": "x",
        ".hidden/sw5": "x",
        '"a\\nb"': "x",
        '"a\\tb c"': "x",
        "--help": "option\n",
        "$(id)": "shell\n",
        empty: "",
        [`long${"l".repeat(200)}`]: "x",
      }) +
        `commit refs/heads/main\ncommitter x <x@x> ${second + 1} +0000\ndata 1\nx\nM 120000 inline link\ndata 11\n/etc/passwd\n\n`,
    );
    const { versions, leftOut } = await read(path);
    expect(versions.map(({ device }) => device).sort()).toEqual(["$(id)", "--help", "sw1"]);
    expect(versions.find(({ device }) => device === "sw1")?.text).toBe("hostname caf\u00e9\n");
    const told = Object.fromEntries(leftOut.map(({ path, why }) => [path, why]));
    expect(told).toMatchObject({ sw2: "binary", sw3: "too large", sw4: "too large", link: "a link" });
    expect(told).toMatchObject({
      ".gitignore": "no device",
      "README.md": "no device",
      ".hidden/sw5": "no device",
      "a\nb": "no device",
    });
  });

  test("odd authors, times and messages do no harm", async () => {
    const path = repository(
      commit({ sw1: "a\n" }, { who: "\x1b[31mred\x07 <x@x>", message: "one\x01two\n\nthree" }) +
        commit({ sw1: "b\n" }, { who: " <>", message: "" }),
    );
    const { versions } = await read(path);
    expect(versions.map(({ who, note }) => [who, note])).toEqual([
      ["[31mred", "one two"],
      [undefined, undefined],
    ]);
  });

  test("RANCID keeps devices in configs, of one group or of many", async () => {
    const path = repository(
      commit({
        "core/configs/r1": "!RANCID-CONTENT-TYPE: cisco\n",
        "core/router.db": "r1;cisco;up\n",
        "core/configs/.cvsignore": "x",
        ".x": "y",
      }),
    );
    expect(await formatOf(path, signal)).toBe("rancid");
    const { versions, leftOut } = await read(path, { format: "rancid" });
    expect(versions.map(shortOf)).toEqual(["core|r1|running|!RANCID-CONTENT-TYPE: cisco"]);
    expect(leftOut.map(({ path }) => path).sort()).toEqual([
      ".x",
      "core/configs/.cvsignore",
      "core/router.db",
    ]);
    const one = repository(commit({ "configs/r1": "x\n" }));
    expect((await read(one, { format: "rancid" })).versions.map(shortOf)).toEqual(["|r1|running|x"]);
    expect(await formatOf(repository(commit({ "a/r1": "x\n" })), signal)).toBe("oxidized");
  });

  test("what this service has exported comes back under its names and parts", async () => {
    const path = repository(
      commit({ "default/a%2Fb--startup": "x\n", "ber/sw1": "y\n", "ber/sw1--set": "z\n" }),
    );
    expect((await read(path)).versions.map(shortOf).sort()).toEqual([
      "ber|sw1|running|y",
      "ber|sw1|set|z",
      "|a/b|startup|x",
    ]);
  });

  test("what is no repository of Git is told with the way on", async () => {
    const folder = tempFolder();
    await expect(formatOf(folder, signal)).rejects.toMatchObject({
      kind: "Validation",
      message: expect.stringMatching(/no clone of a Git repository.*git cvsimport/),
    });
    await expect(formatOf("/nowhere/at/all", signal)).rejects.toThrow();
  });

  test("nothing in the repository is run", async () => {
    const path = repository(commit({ sw1: "a\n" }));
    const ran = join(tempFolder(), "ran");
    const program = join(tempFolder(), "program");
    writeFileSync(program, `#!/bin/sh\ntouch ${ran}\ncat\n`);
    chmodSync(program, 0o755);
    for (const name of [
      "core.pager",
      "diff.external",
      "core.fsmonitor",
      "core.sshCommand",
      "gpg.program",
      "diff.x.textconv",
    ])
      execFileSync("git", ["-C", path, "config", name, program]);
    execFileSync("git", ["-C", path, "config", "log.showSignature", "true"]);
    mkdirSync(join(path, "info"), { recursive: true });
    writeFileSync(join(path, "info", "attributes"), "* diff=x\n");
    expect((await read(path)).versions).toHaveLength(1);
    expect(() => execFileSync("ls", [ran], { stdio: "pipe" })).toThrow();
  });

  test("100,000 commits are read with little memory", async () => {
    const parts: string[] = [];
    for (let at = 0; at < 100_000; at++)
      parts.push(
        `commit refs/heads/main\ncommitter x <x@x> ${1_600_000_000 + at} +0000\ndata 1\nx\nM 100644 inline sw${at % 50}\ndata ${String(at).length + 1}\n${at}\n\n`,
      );
    const path = repository(parts.splice(0).join(""));
    // Without garbage: when it is collected depends on the machine.
    const used = () => {
      Bun.gc(true);
      return process.memoryUsage().rss;
    };
    const before = used();
    let [count, most] = [0, 0];
    for await (const { text } of keptVersions({
      path,
      format: "oxidized",
      maxChars: 1_000,
      signal,
      onLeftOut() {},
    })) {
      if (text !== `${count}\n`) throw new Error(`version ${count} is ${text}`);
      count += 1;
      if (count % 5_000 === 0) most = Math.max(most, used() - before);
    }
    expect(count).toBe(100_000);
    expect(most).toBeLessThan(200 * 1024 * 1024);
  }, 300_000);
});
