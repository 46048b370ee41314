/**
 * README's five things and the tutorials run as written: the commands work in order, on the test's own ports. All
 * start with `npx -y bun run`, which README's prove; those of the tutorials then run as the compiled program if the
 * run has one.
 */
import { readFileSync } from "node:fs";
import process from "node:process";
import { expect, test } from "vitest";
import { runScript, shellBlocks } from "./paper-script.ts";

const asWritten = { strict: true, program: process.env.TEST_PROGRAM };
const readme = shellBlocks(readFileSync("README.md", "utf8")).join("");
const tutorial = shellBlocks(readFileSync("docs/tutorials/first-push.md", "utf8"));
const backup = shellBlocks(readFileSync("docs/tutorials/configuration-backup.md", "utf8"));
const change = shellBlocks(readFileSync("docs/tutorials/first-change.md", "utf8"));

test("contain no placeholders or addresses to be replaced", () => {
  expect(readme.length).toBeGreaterThan(1_000);
  for (const text of [readme, ...tutorial, ...backup, ...change]) expect(text).not.toMatch(/…|<your|YOUR_/);
});

test("the five things of README answer every request, end every job well and leave nothing behind", async () => {
  const { out, errors, left } = await runScript(readme, { strict: false });
  expect(left).toEqual([]);
  const answers = out.split("\n").filter((line) => line.startsWith('{"code"'));
  const requests = readme.match(/^(?:pb|curl) .*localhost/gm) ?? [];
  expect(answers.length, `${out}\n${errors}`).toBe(requests.length);
  for (const answer of answers) expect(JSON.parse(answer).code, answer).toBe(200);
  expect(out).not.toMatch(/"status":"(?:failed|cancelled)"|"success":false/);
  expect(out).toContain('"hostname":"SW1"');
  expect(out).toContain("interface Loopback8");
  expect(out).toContain('"ticket":"CHG-7"');
  expect(out).toMatch(/"next":\["20/);
});

test("the tutorial ends with each command done", async () => {
  const { out, errors, code, left } = await runScript(tutorial.join(""), asWritten);
  expect([code, left], `${out}\n${errors}`).toEqual([0, []]);
  expect(errors).toContain("2 devices: 2 finished in");
  expect(out).toContain("check after: ok");
  expect(out).toMatch(/^ntp server 192\.0\.2\.1$/m);
  expect(out).toMatch(/^versions +active/m);
  expect(out + errors).not.toMatch(/\b[1-9] failed/);
});

test("the tutorial of configurations ends with a difference in a mail", async () => {
  const { out, errors, code, left } = await runScript(backup.join(""), asWritten);
  expect([code, left], `${out}\n${errors}`).toEqual([0, []]);
  const [, mail = ""] = /^To: noc@example\.net\n(Subject: [\s\S]*?)(?=^--- SW1 version 1\s)/m.exec(out) ?? [];
  expect(mail, out).toMatch(/^Subject: .*SW1/);
  expect(out.match(/^\+ +description uplink to the core$/gm)?.length, out).toBeGreaterThanOrEqual(2);
  expect(out).toMatch(/^SW1 +arista_eos +1 /m);
  expect(out + errors).not.toMatch(/\b[1-9] failed/);
});

test("the tutorial of a change ends with one that stopped and was returned, and one that is done", async () => {
  const { out, errors, code, left } = await runScript(change.join(""), asWritten);
  expect([code, left], `${out}\n${errors}`).toEqual([0, []]);
  expect(out).toContain("it did not get through");
  expect(out).toMatch(/^\d +SW2 +waiting/m);
  expect(out.match(/^\d +SW1 +returned/gm)?.length, out).toBe(2);
  expect(out.match(/^\d +SW[12] +pushed/gm)?.length, out).toBe(2);
  expect(errors).toContain("NTP of the lab is done.");
});
