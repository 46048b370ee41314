/** Log lines for programs and for people. */
import { expect, test } from "vitest";
import { createLog } from "../../src/base/log.ts";

test("control characters and line breaks of a device are escaped in the log", () => {
  const lines: string[] = [];
  const log = createLog({ level: "info", format: "pretty", write: (line) => lines.push(line) });
  log.warn("job.requeued", {
    from: ["x\x9b2J\x7f"],
    reason: "r1 ended the login: \x1b]0;owned\x07\r\n09:00:00.000 INFO  key.add name=x\x9b2J",
    count: 2,
  });
  const [line = ""] = lines;
  expect(line.slice(13)).toBe(
    'WARN  job.requeued from=["x\\x9b2J\\x7f"] reason=r1 ended the login: \\x1b]0;owned\\x07\n' +
      "    09:00:00.000 INFO  key.add name=x\\x9b2J count=2\n",
  );
  expect(lines).toHaveLength(1);
});

test("a field whose name says that it is a secret is masked wherever it stands, a number or the name of a file is not", () => {
  const lines: string[] = [];
  const log = createLog({ level: "info", format: "json", write: (line) => void lines.push(line) });
  log.info("x", {
    ...{ community: "canary", api_key: "canary", key_file: "/k", tokens: 7 },
    snmp: { privPassword: "canary", of: { Cookie: "canary" } },
  });
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({
    ...{ community: "[secret]", api_key: "[secret]", key_file: "/k", tokens: 7 },
    snmp: { privPassword: "[secret]", of: { Cookie: "[secret]" } },
  });
});
