/** Which configuration lines run as one unit. */
import { expect, test } from "vitest";
import { unitsOf } from "../../../plugins/drivers/paramiko/units.ts";

const texts = (...entries: string[]) =>
  unitsOf(entries).map(({ text, script }) => (script ? { script: text } : text));

test.each<[string, string[], unknown[]]>([
  ["a list is a command each", ["a", "b"], ["a", "b"]],
  ["a text of several lines is a script", ["set -u\necho $x\n"], [{ script: "set -u\necho $x" }]],
  ["line ends of other systems are line ends", ["a\r\nb\rc"], [{ script: "a\nb\nc" }]],
  ["a line end behind one command makes no script", ["uptime\n"], ["uptime"]],
  ["empty entries are left out", ["", "a", "  ", "\n"], ["a"]],
  [
    "a here-document in a list is one command",
    ["cat > f << 'EOF'", "#!/bin/sh", "echo x", "EOF", "chmod +x f"],
    [{ script: "cat > f << 'EOF'\n#!/bin/sh\necho x\nEOF" }, "chmod +x f"],
  ],
  [
    "its end may be indented by tabs where it says so",
    ["cat <<-END", "x", "\tEND", "y"],
    [{ script: "cat <<-END\nx\n\tEND" }, "y"],
  ],
  ["one that has no end is what it is", ["cat << EOF", "a"], ["cat << EOF", "a"]],
  ["a text given by <<< is none", ["cat <<< EOF", "a", "EOF"], ["cat <<< EOF", "a", "EOF"]],
  ["a shift is none", ["echo $((1<<2))", "2"], ["echo $((1<<2))", "2"]],
])("%s", (_name, entries, expected) => {
  expect(texts(...entries)).toEqual(expected);
});
