/** Files of a server in one text: told apart, and put back by a script. */
import { execFileSync, spawnSync } from "node:child_process";
import {
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { expect, test } from "vitest";
import { filesIn, filesScript } from "../../src/configtext/files.ts";

const shown = (files: Readonly<Record<string, string>>) =>
  `${Object.entries(files)
    .map(([path, content]) => `# file: ${path}\n${content}\n`)
    .join("")}# end of files\n`;

test("what a text shows of files is what they were, but for the line end that a last line lacks", () => {
  const files = { "/etc/a": "one\n\ntwo\n", "/etc/b c": "", "/etc/d": "\n", "/etc/e": "open" };
  expect(filesIn(shown(files))).toEqual(new Map(Object.entries({ ...files, "/etc/e": "open\n" })));
});

test("a text of something else, one that was cut, or with a path twice, is none of files", () => {
  const one = "# file: /etc/a\nx\n";
  const all = ["hostname a\n", one, `x\n${one}# end of files\n`, `${one}${one}# end of files\n`];
  expect(all.map(filesIn)).toEqual(all.map(() => undefined));
  expect(filesScript(one, shown({}))).toBeUndefined();
});

test("the script writes what differs, whatever the lines and names are, and leaves no other file behind", () => {
  const folder = mkdtempSync(join(tmpdir(), "files-"));
  try {
    const path = (name: string) => join(folder, name);
    const hostile = "END-OF-FILE\n$(touch x) `id` $HOME \\\n'quoted\"\nEND-OF-FILE-2\n";
    const before = { [path("same")]: "same\n", [path("a 'b")]: "old\n", [path("more")]: "more\n" };
    const wanted = { [path("same")]: "same\n", [path("a 'b")]: hostile, [path("new")]: "" };
    for (const [name, content] of Object.entries(before)) writeFileSync(name, content);
    const made = filesScript(shown(before), shown(wanted));
    expect(made?.doubts).toEqual(["files"]);
    execFileSync("sh", ["-c", (made?.lines ?? []).join("\n")], { cwd: folder });
    expect(readdirSync(folder).sort()).toEqual(["a 'b", "more", "new", "same"]);
    expect([path("a 'b"), path("new")].map((name) => readFileSync(name, "utf8"))).toEqual([hostile, ""]);
    expect(filesScript(shown(wanted), shown(wanted))).toEqual({ lines: [], doubts: [] });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("the copy is in a folder that nobody else may enter, so that no link put there is followed", () => {
  const folder = mkdtempSync(join(tmpdir(), "files-"));
  try {
    const path = join(folder, "conf");
    const made = filesScript(shown({ [path]: "old\n" }), shown({ [path]: "new\n" }));
    const looking = 'cat() { ls -ld -- "$d" >&2; command cat; }';
    const script = [looking, ...(made?.lines ?? [])].join("\n");
    for (const shell of [["sh"], ["busybox", "sh"]].filter(([name = ""]) => Bun.which(name))) {
      writeFileSync(path, "old\n", { mode: 0o640 });
      const [program = "", ...args] = [...shell, "-c", script];
      const { status, stderr } = spawnSync(program, args, { encoding: "utf8" });
      expect([shell, status, stderr]).toEqual([
        shell,
        0,
        expect.stringMatching(new RegExp(`^drwx------ .*${folder}/conf\\.patchbay-\\w{6}\\n$`)),
      ]);
      expect([readdirSync(folder), readFileSync(path, "utf8")]).toEqual([["conf"], "new\n"]);
      expect(statSync(path).mode & 0o777).toBe(0o640);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("a file that is gone gets the owner of its folder, and is private if it holds a secret", () => {
  const folder = mkdtempSync(join(tmpdir(), "files-"));
  try {
    mkdirSync(join(folder, "netplan"));
    const isRoot = process.getuid?.() === 0;
    if (isRoot) chownSync(join(folder, "netplan"), 12, 34);
    const path = (name: string) => join(folder, name);
    const wanted = {
      [path("hosts")]: "192.0.2.1 a\n",
      [path("wifi.conf")]: 'network={\n psk="canary"\n}\n',
      [path("masked.conf")]: "password <secret 7c41d0>\n",
      [path("peer.key")]: "anything\n",
      [path("netplan/a.yaml")]: "network: {}\n",
    };
    const made = filesScript(shown({}), shown(wanted));
    for (const shell of [["sh"], ["busybox", "sh"]].filter(([name = ""]) => Bun.which(name))) {
      const [program = "", ...args] = [...shell, "-c", `umask 022\n${(made?.lines ?? []).join("\n")}`];
      const { status, stderr } = spawnSync(program, args, { encoding: "utf8" });
      expect([status, stderr]).toEqual([0, ""]);
      const modes = Object.keys(wanted).map((name) => (statSync(name).mode & 0o777).toString(8));
      expect(modes).toEqual(["644", "600", "600", "600", "600"]);
      const { uid, gid } = statSync(path("netplan/a.yaml"));
      if (isRoot) expect([uid, gid]).toEqual([12, 34]);
      for (const name of Object.keys(wanted)) rmSync(name);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});
