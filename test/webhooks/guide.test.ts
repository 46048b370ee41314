/** The check of a signature in docs/guides/webhooks.md accepts what a receiver gets, and nothing else. */
import { createHmac } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { tempFolder } from "../../src/testkit/service.ts";

const [, code = ""] = /^```ts\n(.*?)^```$/ms.exec(readFileSync("docs/guides/webhooks.md", "utf8")) ?? [];
const file = join(tempFolder(), "receiver.ts");
writeFileSync(file, code);

test("the receiver of the guide checks signatures", async () => {
  const { isGenuine } = await import(/* @vite-ignore */ pathToFileURL(file).href);
  const [body, at] = [Buffer.from('{"event":"bulk.ended"}'), 1_800_000_000];
  const v1 = createHmac("sha256", "s3cret").update(`${at}.${body}`).digest("hex");
  const header = `t=${at},v1=${v1}`;
  expect(isGenuine(header, body, "s3cret", at * 1_000)).toBe(true);
  expect(isGenuine(header, body, "other", at * 1_000)).toBe(false);
  expect(isGenuine(header, Buffer.from("{}"), "s3cret", at * 1_000)).toBe(false);
  expect(isGenuine(header, body, "s3cret", (at + 3_600) * 1_000)).toBe(false);
  for (const bad of ["", "v1=1", `t=${at},v1=ab`])
    expect(isGenuine(bad, body, "s3cret", at * 1_000)).toBe(false);
});
