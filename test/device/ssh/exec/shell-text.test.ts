/** Text for a POSIX shell reaches it unread by the login shell, whichever that is: real shells, hostile text. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { needs, servers } from "../../../../scripts/testbed/catalogue.ts";
import { shellQuote } from "../../../../src/base/text/shell-quote.ts";
import { prepareCommand } from "../../../../src/device/ssh/exec/shell-text.ts";
import type { ExecOptions } from "../../../../src/plugin/kit/ssh.ts";

const loginShells = ["/bin/dash", "/bin/bash", "/bin/rbash", ...servers.shells.files];
/** What `sh` may be on a server. */
const posixShells = ["/bin/dash", "/bin/bash", "/bin/mksh", "/bin/ksh93", "/usr/bin/busybox"];

/** A folder whose `sh` is that shell. */
function pathOf(sh: string): string {
  const folder = join(mkdtempSync(join(tmpdir(), "sh-")), "bin");
  mkdirSync(folder);
  symlinkSync(sh, join(folder, "sh"));
  return `${folder}:/usr/bin:/bin`;
}

function run(shell: string, path: string, command: string, options: ExecOptions) {
  const { line, steps } = prepareCommand(command, options);
  const input = `${steps.map(({ text }) => text).join("")}${options.input ?? ""}`;
  const env = { PATH: path, HOME: "/nonexistent", SHELL: shell, LC_ALL: "C.UTF-8" };
  const { stdout, stderr, status } = spawnSync(shell, ["-c", line], { env, input });
  return { stdout: stdout.toString(), stderr: stderr.toString(), status };
}

const nasty = fc.oneof(
  fc
    .string({ unit: "binary", maxLength: 60 })
    .map((text) => text.replaceAll("\0", "").replace(/[\ud800-\udfff]/g, "")),
  fc
    .array(
      fc.constantFrom(
        "'",
        '"',
        "!",
        "\\",
        "$",
        "`",
        "\n",
        "#",
        "%",
        "=",
        "~",
        "*",
        "{",
        "a",
        " ",
        "é",
        "Á",
        "\r",
      ),
      {
        maxLength: 30,
      },
    )
    .map((parts) => parts.join("")),
);

describe.skipIf(needs("shells"))("text for a POSIX shell", () => {
  test.each(loginShells)("%s: a script, its variables and its input arrive as they are", (shell) => {
    fc.assert(
      fc.property(nasty, nasty, nasty, fc.constantFrom(...posixShells), (text, value, input, sh) => {
        const script = `printf '[%s]' ${posixWord(text)} "$VALUE"\nexec cat`;
        const options = { shell: "sh -e" as const, environment: { VALUE: value }, input };
        const { stdout, stderr, status } = run(shell, pathOf(sh), script, options);
        expect({ stdout, stderr, status }).toEqual({
          stdout: `[${text}][${value}]${input}`,
          stderr: "",
          status: 0,
        });
      }),
      { numRuns: 12 },
    );
  });

  test.each(loginShells)("%s: a script is one unit that ends at the first failure", (shell) => {
    for (const sh of posixShells) {
      const script = "echo 'it is'\ncd /no/such/folder\necho never\n";
      const { stdout, status } = run(shell, pathOf(sh), script, { shell: "sh -e" });
      expect([stdout, status === 0]).toEqual(["it is\n", false]);
      expect(run(shell, pathOf(sh), "exit 7", { shell: "sh" }).status).toBe(7);
      expect(run(shell, pathOf(sh), "cat; echo end", { shell: "sh" }).stdout).toBe("end\n");
    }
  });

  test("a command for the login shell keeps its language beside an environment", () => {
    const environment = { WORD: "it's" };
    const ofTcsh = 'set x = "$WORD"; echo $x:q; if (1) echo csh';
    expect(run("/bin/tcsh", pathOf("/bin/dash"), ofTcsh, { environment }).stdout).toBe("it's\ncsh\n");
    const ofFish = 'set x $WORD; if test -n "$x"; echo $x; end';
    expect(run("/usr/bin/fish", pathOf("/bin/dash"), ofFish, { environment }).stdout).toBe("it's\n");
  });

  test.each(loginShells.filter((shell) => !shell.includes("/rc")))(
    "%s reads a quoted word as it is",
    (shell) => {
      const word = nasty.map((text) => text.replaceAll(/[\n\r]/g, ""));
      const show = (text: string) =>
        spawnSync(shell, ["-c", `env printf %s ${shellQuote(text)}`], {
          env: { PATH: "/usr/bin:/bin", HOME: "/nonexistent", LC_ALL: "C.UTF-8" },
        }).stdout.toString();
      fc.assert(
        fc.property(word, (text) => {
          expect(show(text)).toBe(text);
        }),
        { numRuns: 25 },
      );
    },
  );
});

/** For a POSIX shell only. */
const posixWord = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
