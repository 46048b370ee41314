/**
 * An XML agent that echoes, prints messages, fails and floods: its responses are parsed or reported
 * accurately.
 */
import { afterEach, beforeEach, expect, test } from "vitest";
import iosxr from "../../../../plugins/drivers/napalm/systems/iosxr/system.ts";
import { job, openOn, password } from "../open.ts";
import { type Failure, type Router, startRouter } from "./router.ts";

let device: Router;
beforeEach(async () => {
  device = await startRouter({ password });
});
afterEach(() => device.close());

const open = (more: object = {}) => openOn(iosxr, { port: device.port, ...more }, job());
const response = (inside: string) => `<Response MajorVersion="1" MinorVersion="0">${inside}</Response>\n`;

test.each([
  ["as it should", {}],
  ["with an echo of each request", { echo: true }],
  ["with messages in front of, within and behind answers", { messages: true }],
  ["a few bytes at a time, with all of that", { echo: true, messages: true, packet: 7 }],
])("an XML agent that answers %s is understood", async (_name, manners) => {
  Object.assign(device.manners, manners);
  const session = await open();
  for (let time = 0; time < 3; time++)
    expect(await session.cli("show clock", job())).toBe("12:00:00.000 UTC Sun Nov 22 2026");
  const change = await session.configuration.change("hostname R2", { replace: false, dryRun: false }, job());
  expect(change).toEqual({ committed: true, diff: "+  hostname R2" });
  await expect(session.cli("show nonsense", job())).rejects.toThrow(/Invalid input/);
  await session.close();
});

test.each<[string, Failure, string, RegExp]>([
  ["malformed XML", { say: response("<Get><Operational></Get>") }, "DriverError", /not valid.*line 1/],
  [
    "an incomplete response",
    { say: '<Response MajorVersion="1"><Get>\n' },
    "ReadTimeout",
    /Last output.*<Get>/,
  ],
  [
    "entities",
    { say: `<!DOCTYPE a [<!ENTITY b "c">]>${response("<Get>&b;</Get>")}` },
    "DriverError",
    /entity/,
  ],
  [
    "an error without a message",
    { say: response('<ResultSummary ErrorCount="2"/>') },
    "CommandError",
    /2 errors/,
  ],
  [
    "a fatal error message",
    { say: "ERROR: 0xa367a600 'XML Service Library' detected the 'fatal' condition\n" },
    "CommandError",
    /0xa367a600/,
  ],
  [
    "a partial response with an iterator",
    { say: '<Response MajorVersion="1" MinorVersion="0" IteratorID="7"><Get/></Response>\n' },
    "DriverError",
    /iteration off/,
  ],
  ["nothing", "silent", "ReadTimeout", /sent nothing for 1 s.*There was no output/],
  ["endless data", "endless", "OutputTooLarge", /32 MiB/],
  ["endless prompts", "prompts", "OutputTooLarge", /keeps printing prompts/],
  ["the command line", "leave", "ConnectionLost", /left the XML agent unexpectedly/],
  ["a closed connection", "drop", "ConnectionLost", /./],
])("an XML agent that answers with %s is reported", async (_name, how, kind, message) => {
  const session = await open({ timeout: 1 });
  device.fail(/show clock/, how);
  await expect(session.cli("show clock", job())).rejects.toMatchObject({
    kind,
    message: expect.stringMatching(message),
  });
  const stands = kind === "CommandError" || kind === "DriverError";
  expect([await session.alive(job()), await session.reusable(job())]).toEqual([stands, stands]);
  if (stands) expect(await session.cli("show clock", job())).toMatch(/^12:00/);
  await session.close();
});

test("a prompt right after a response ends it; text that looks like a prompt does not", async () => {
  const session = await open();
  device.fail(/show clock/, { say: response("<CLI><Exec>one\nXML&gt; \nR1#\ntwo</Exec></CLI>").trim() });
  expect(await session.cli("show clock", job())).toBe("one\nXML> \nR1#\ntwo");
  device.manners.packet = 3;
  expect(await session.cli("show clock", job())).toMatch(/^12:00/);
  await session.close();
});

test("a router without XML agent or with a wrong password is reported, and its connection closed", async () => {
  device.manners.withoutAgent = "% Invalid input detected at '^' marker.";
  await expect(open()).rejects.toThrow(/xml agent tty/);
  await expect(open({ password: "wrong" })).rejects.toMatchObject({ kind: "AuthenticationFailed" });
  await expect.poll(() => device.connections()).toBe(0);
});
