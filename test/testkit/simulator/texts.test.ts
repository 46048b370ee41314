/** Simulated devices read texts and unfinished lines, and their line editors take keys for themselves. */
import { describe, expect, test } from "vitest";
import { Secret } from "../../../src/base/secrets/secret.ts";
import { openCliSession } from "../../../src/device/cli/session.ts";
import { fakeStream } from "../../device/cli/fake-stream.ts";
import { openOptions, patient, push } from "../../device/cli/open-options.ts";
import { testContext } from "../../device/cli/test-context.ts";
import { platformNamed, simulatedDevice } from "./simulated-device.ts";

const texts: readonly (readonly [string, readonly string[]])[] = [
  ["cisco_ios", ["banner motd ^C", "who are you?", "", "^C"]],
  ["cisco_ios", ["macro name PORT", "shutdown", "@"]],
  ["cisco_nxos", ["banner motd #", "hello", "#"]],
  ["arista_eos", ["comment", "uplink", "EOF"]],
  ["huawei", ["header login information #", "hello", "#"]],
  ["hp_comware", ["header motd %", "hello", "%"]],
  ["hp_procurve", ["banner motd #", "hello", "#"]],
  ["juniper_junos", ["load merge terminal", "system { host-name R2; }", "\x04"]],
  ["fortinet", ['set comment "one', 'two"']],
  ["mikrotik_routeros", [":if (true) do={", ":log info a", "}"]],
  ["mikrotik_routeros", ["/ip firewall filter add action=accept \\", "chain=input"]],
];

/** The simulated device behind a stream, which a session opens; it thinks before each answer. */
function streamOf(name: string, thinkingMs: number) {
  const { terminal, taken } = simulatedDevice(name, thinkingMs);
  const deliver = () => {
    const text = taken();
    if (text !== "") stream.feed(text);
  };
  const stream = fakeStream((text) => {
    terminal.type(text);
    deliver();
  });
  const timer = setInterval(deliver, 2);
  deliver();
  return { stream, stop: () => clearInterval(timer) };
}

describe.each([0, 40])("with %d ms of thinking", (thinkingMs) => {
  test.each(texts)("%s reads %j", async (name, lines) => {
    const { stream, stop } = streamOf(name, thinkingMs);
    const ctx = testContext();
    const options = { platform: platformNamed(name), secret: new Secret("sesame"), ...patient };
    const session = await openCliSession(openOptions(stream, options), ctx);
    await session.configure(lines, push, ctx);
    const unended = session.configure(lines.slice(0, -1), push, ctx);
    await expect(unended).rejects.toMatchObject({ kind: "CommandError" });
    stop();
  });
});

test("a question mark shows help, and Ctrl-V makes it text", () => {
  const { terminal, taken } = simulatedDevice("cisco_ios");
  taken();
  terminal.type("show a?");
  expect(taken()).toBe("show a?\r\n  <cr>\r\nR1>show a");
  terminal.type("\x16?");
  expect(taken()).toBe("?");
});
