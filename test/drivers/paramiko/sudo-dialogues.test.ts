/** Programs that take the place of sudo and show its prompt in their own way: nothing of it is in the output. */
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { asRoot, type Prepared } from "../../../plugins/drivers/paramiko/sudo.ts";
import { needs } from "../../../scripts/testbed/catalogue.ts";
import { type Sshd, startSshd } from "../../../scripts/testbed/openssh.ts";
import { secret } from "../../../src/base/secrets/secret.ts";
import type { Connection } from "../../../src/device/ssh/connection.ts";
import { newSsh, scopeOf, targetOf } from "../../device/ssh/support.ts";

/** What it writes before and behind the prompt, behind the reply, and where. */
interface Style {
  readonly before: string;
  readonly behind: string;
  /** Octal escapes, written once the reply was read. */
  readonly answered: string;
}

const styles: Record<string, Style> = {
  plain: { before: "", behind: "", answered: "" },
  "sudo-rs": { before: "[sudo: ", behind: "] Password: ", answered: "\\n" },
  "sudo-rs without a line end": { before: "[sudo: ", behind: "] Password: ", answered: "" },
  french: { before: "[sudo: ", behind: "] Mot de passe : ", answered: "\\n" },
  chinese: { before: "[sudo: ", behind: "] 密码：", answered: "\\n" },
  feedback: { before: "", behind: "", answered: "***\\010 \\010\\010 \\010\\010 \\010\\n" },
  "sudo-rs with feedback": { before: "[sudo: ", behind: "] Password: ", answered: "****\\n" },
  lecture: { before: "We trust you.\\n\\n[sudo: ", behind: "] Password: ", answered: "\\n" },
};

/** Writes in pieces with pauses between, as a slow line delivers it. */
const double = ({ before, behind, answered }: Style) => `#!/bin/bash
while :; do case $1 in -p) asks=$2; shift 2;; -u) shift 2;; --) shift; break;; -*) shift;; *) break;; esac; done
[ -t 0 ] && { stty -echo; tty=1; }
say() { printf "$1" >&2; sleep 0.05; }
say '${before}'; say "$asks"; say '${behind.slice(0, 3)}'; say '${behind.slice(3)}'
IFS= read -r reply
[ -n "$tty" ] && stty echo
${answered === "" ? '[ -n "$tty" ] && say "\\n"' : `say '${answered}'`}
[ "$reply" = right ] || { echo "wrong: $reply" >&2; exit 1; }
exec "$@"
`;

describe.skipIf(needs("openssh"))("the dialogue of", () => {
  let server: Sshd;
  let connection: Connection;
  const scope = scopeOf(120_000);
  beforeAll(async () => {
    server = await startSshd();
    connection = await newSsh().connect(targetOf(server), scope);
    for (const [name, style] of Object.entries(styles)) {
      writeFileSync(fileOf(name), double(style));
      chmodSync(fileOf(name), 0o755);
    }
    chmodSync(server.folder, 0o755);
  });
  afterAll(async () => {
    await connection?.close();
    await server?.stop();
  });
  const fileOf = (name: string) => join(server.folder, `${name.replaceAll(" ", "-")}.sh`);
  const through = ({ line, options }: Prepared, file: string): Prepared => {
    const { wrap } = options;
    const program = (text: string) => text.replace(/^sudo /, `${file} `);
    return wrap
      ? { line, options: { ...options, wrap: (shell) => program(wrap(shell)) } }
      : { line: program(line), options };
  };
  const cases = Object.keys(styles).flatMap((name) =>
    [true, false].map((get_pty) => [name, get_pty] as const),
  );

  test.each(cases)("%s is not in the output (terminal: %s)", async (name, get_pty) => {
    const args = { sudo: true, sudo_password: secret("right"), get_pty } as unknown as Parameters<
      typeof asRoot
    >[1];
    const outputs: string[] = [];
    for (const unit of [
      { text: "printf one", script: false },
      { text: "printf %s 'it is'; printf ' %s' two", script: false },
      { text: "printf *\nprintf three", script: true },
    ]) {
      const { line, options } = through(asRoot(unit, args), fileOf(name));
      const live: string[] = [];
      const { stdout, stderr } = await connection.exec(line, options, scope, (text) => void live.push(text));
      outputs.push(stdout, stderr);
      // Lines before the prompt may be of the command: whoever follows it sees them.
      if (name !== "lecture") expect(live.join("")).toBe(`${stdout}${stderr}`);
    }
    expect(outputs).toEqual(["one", "", "it is two", "", expect.stringMatching(/three$/), ""]);
  });
});
