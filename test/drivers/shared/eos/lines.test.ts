/** EOS configurations as command lists. */
import { expect, test } from "vitest";
import { entriesOf } from "../../../../plugins/drivers/shared/eos/lines.ts";

test("a multi-line EOS command is one command with its input", () => {
  const text = "hostname sw1\nbanner login\nhello\nEOF\n!! kept\n!! with it\n!\nbanner motd\nip routing";
  expect(entriesOf(text).map(({ number, command }) => [number, command])).toEqual([
    [1, "hostname sw1"],
    [2, { cmd: "banner login", input: "hello" }],
    [5, { cmd: "comment", input: "kept\nwith it" }],
    [8, "banner motd"],
    [9, "ip routing"],
  ]);
});

test("100,000 multi-line commands without an end are split in linear time", () => {
  const count = 100_000;
  const entries = entriesOf(`banner login\nhi\nEOF\n${"comment\n".repeat(count)}`);
  expect(entries).toHaveLength(count + 1);
});
