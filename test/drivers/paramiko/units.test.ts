/** Which configuration lines run as one unit. */
import { expect, test } from "vitest";
import { unitsOf } from "../../../plugins/drivers/paramiko/units.ts";

const texts = (...entries: string[]) =>
  unitsOf(entries).map(({ text, script }) => (script ? { script: text } : text));

test.each<[string, string[], unknown[]]>([
  ["each entry of a list is a command", ["a", "b"], ["a", "b"]],
  ["a multi-line string is a script", ["set -u\necho $x\n"], [{ script: "set -u\necho $x" }]],
  ["line ends of any system are recognised", ["a\r\nb\rc"], [{ script: "a\nb\nc" }]],
  ["a trailing line end does not make a script", ["uptime\n"], ["uptime"]],
  ["empty entries are skipped", ["", "a", "  ", "\n"], ["a"]],
  [
    "a here-document in a list is one command",
    ["cat > f << 'EOF'", "#!/bin/sh", "echo x", "EOF", "chmod +x f"],
    [{ script: "cat > f << 'EOF'\n#!/bin/sh\necho x\nEOF" }, "chmod +x f"],
  ],
  [
    "the end of <<- may be indented by tabs",
    ["cat <<-END", "x", "\tEND", "y"],
    [{ script: "cat <<-END\nx\n\tEND" }, "y"],
  ],
  ["a here-document without an end is separate commands", ["cat << EOF", "a"], ["cat << EOF", "a"]],
  ["<<< is not a here-document", ["cat <<< EOF", "a", "EOF"], ["cat <<< EOF", "a", "EOF"]],
  ["a shift operator is not a here-document", ["echo $((1<<2))", "2"], ["echo $((1<<2))", "2"]],
])("configuration lines are grouped into commands and scripts: %s", (_name, entries, expected) => {
  expect(texts(...entries)).toEqual(expected);
});
