/** After Ctrl-C a shell may print its prompt before its line editor is back: the terminal echoes the next line as well. */
import { expect, test } from "vitest";
import linux from "../../../plugins/platforms/linux.ts";
import { openCliSession } from "../../../src/device/cli/session.ts";
import { fakeStream } from "./fake-stream.ts";
import { openOptions, patient, push } from "./open-options.ts";
import { testContext } from "./test-context.ts";

const { config: _root, ...platform } = linux;
const prompt = "user@R1:~$ ";

/** Reads here-documents; echoes the line after Ctrl-C twice, the second time perhaps late. */
function shell(lateMs: number) {
  let typed = "";
  let isText = false;
  let isEditing = true;
  const stream = fakeStream((keys) => {
    for (const key of keys) take(key);
  });
  function take(key: string) {
    if (key === "\x03") {
      [typed, isText, isEditing] = ["", false, false];
      return stream.feed(`^C\r\n${prompt}`);
    }
    if (key !== "\n" && key !== "\r") {
      typed += key;
      return;
    }
    const line = typed.replaceAll("\x16", "");
    typed = "";
    stream.feed(`${line}\r\n`);
    if (isText) return stream.feed("> ");
    isText = line.includes("<<EOF");
    const said = /^echo (.*)/.exec(line)?.[1];
    const rest = isText ? "> " : `${said === undefined ? "" : `${said}\r\n`}${prompt}`;
    if (isEditing) return stream.feed(rest);
    isEditing = true;
    setTimeout(() => stream.feed(`${line}\r\n${rest}`), lateMs);
  }
  stream.feed(prompt);
  return stream;
}

test.each([0, 40])(
  "a line that is echoed twice after Ctrl-C, %i ms apart, gets its own answer",
  async (late) => {
    const ctx = testContext();
    const session = await openCliSession(openOptions(shell(late), { ...patient, platform }), ctx);
    await expect(session.configure(["cat <<EOF", "one"], push, ctx)).rejects.toMatchObject({
      kind: "CommandError",
    });
    expect(await session.send("echo back", {}, ctx)).toBe("back");
    expect(ctx.warnings).toEqual([]);
    await session.close();
  },
);
