/** First lines of requests in lists: nothing that only programs read. */
import { expect, test } from "vitest";
import { requestLine } from "../../../src/base/text/request-line.ts";

test.each([
  ["show version", "show version"],
  ["interface Loopback7", "interface Loopback7"],
  ["{ not json", "{ not json"],
  ["__FACTS__", "device facts (the platform's version command)"],
  ['{"id":77,"name":"users","tags":["a"]}', 'template with id=77, name=users, tags=["a"]'],
  ["{}", "{}"],
  ['{"id":77,"na', 'template with variables {"id":77,"na'],
])("%j is %j", (line, shown) => {
  expect(requestLine(line)).toBe(shown);
});
