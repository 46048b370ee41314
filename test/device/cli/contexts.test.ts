/** Where configuration lines leave a session: nested contexts, and a second CLI without a candidate. */

import { describe, expect, test } from "vitest";
import arubas from "../../../plugins/platforms/aruba.ts";
import icos from "../../../plugins/platforms/broadcom.ts";
import sros from "../../../plugins/platforms/nokia-sros.ts";
import { secret } from "../../../src/base/secrets/secret.ts";
import { platformFaults } from "../../../src/device/cli/platform.ts";
import { compilePrompts } from "../../../src/device/cli/prompt/prompt.ts";
import { openCliSession } from "../../../src/device/cli/session.ts";
import type { ConfigureOptions } from "../../../src/plugin/kit/cli.ts";
import type { PlatformPlugin } from "../../../src/plugin/platform.ts";
import { loadAnswers } from "../../../src/testkit/simulator/answers.ts";
import { createDevice } from "../../../src/testkit/simulator/device.ts";
import { createTerminal } from "../../../src/testkit/simulator/terminal/terminal.ts";
import { createTerminalSession } from "../../../src/testkit/simulator/terminal/terminal-session.ts";
import { platformNamed } from "../../testkit/simulator/simulated-device.ts";
import { fakeStream } from "./fake-stream.ts";
import { openOptions, patient, push } from "./open-options.ts";
import { testContext } from "./test-context.ts";

const savingPush: ConfigureOptions = { ...push, save: true };

/** A session on a simulated device, and the lines entered there. */
async function onSimulated(platform: PlatformPlugin) {
  const lines: string[] = [];
  const stream = fakeStream((text) => terminal.type(text));
  const device = createDevice({
    platform,
    hostname: "R1",
    secret: "sesame",
    answers: loadAnswers(platform, undefined),
  });
  const terminal = createTerminal({
    platform,
    session: createTerminalSession(device),
    rows: 24,
    write: stream.feed,
    entered: (line) => void lines.push(line),
    close: () => stream.lose(),
  });
  terminal.start("");
  const ctx = testContext();
  const session = await openCliSession(
    openOptions(stream, {
      platform,
      host: "10.0.0.1",
      username: "admin",
      secret: secret("sesame"),
      ...patient,
    }),
    ctx,
  );
  lines.length = 0;
  return { session, ctx, lines, device };
}

describe("the part of a prompt that identifies the device", () => {
  test.each([
    ["aruba_os", "(R1) (config) #", "R1"],
    ["aruba_os", "(R1) [mynode] #", "mynode"],
    ["aruba_os", "(R1) [mynode] (config) #", "mynode"],
    ["nokia_sros", '*(ex)[/configure router "Base"]\nA:admin@R1# ', "admin@R1"],
  ])("is found for %s in %j", (name, text, stem) => {
    const platform = [...arubas, sros].find((one) => one.name === name) ?? sros;
    expect(compilePrompts(platform).find(text)?.prompt.stem).toBe(stem);
  });
});

/** A push that ends deep in a mode must leave all levels, because the next command would be typed there. */
describe("a push that ends in a submode", () => {
  const fsos = platformNamed("fiberstore_fsosv2");
  const config = fsos.levels.config;
  if (config === undefined) throw new Error("fiberstore_fsosv2 has no configuration");
  const underscored = { ...fsos, levels: { ...fsos.levels, config: { ...config, example: "R1_config#" } } };

  test.each([
    [platformNamed("cisco_ios"), "ip dhcp pool A"],
    [platformNamed("cisco_ios"), "hostname access-switch-of-floor-12"],
    [platformNamed("cisco_ios"), "crypto pki trustpoint T"],
    [platformNamed("cisco_ios"), "crypto ipsec profile P"],
    [platformNamed("ruijie_os"), "ip dhcp pool A"],
    [platformNamed("arista_eos"), "interface 1,3,5"],
    [platformNamed("aruba_os"), 'wlan ssid-profile "x"'],
    [platformNamed("cisco_asa"), "crypto ca trustpoint T"],
    [platformNamed("huawei"), "interface GigabitEthernet0/0/1"],
    [platformNamed("netgear_prosafe"), "interface 0/1"],
    [underscored, "interface 0/1"],
  ])("leaves configuration mode: $name after %s", async (platform, line) => {
    const { session, ctx, lines } = await onSimulated(platform);
    const result = await session.configure([line], push, ctx);
    expect(result.transcript).toContain(line);
    expect(session.level()).toBe(platform.home);
    expect(lines).toContain(line);
    const command = platform.name === "huawei" ? "display version" : "show version";
    expect(await session.send(command, {}, ctx)).toMatch(/version/i);
  });
});

describe("in nested contexts", () => {
  test("`exit` leads up one level and is repeated until configuration mode is left", async () => {
    const { session, ctx, lines } = await onSimulated(icos);
    await session.configure(["interface 0/1", "description uplink"], push, ctx);
    expect(lines).toEqual(["configure", "interface 0/1", "description uplink", "exit", "exit"]);
    expect(session.prompt()).toBe("(R1) #");
  });

  test("a commit is given at the top, not in the context of the last line", async () => {
    const { session, ctx, lines, device } = await onSimulated(sros);
    const result = await session.configure(
      ["/configure log x", "configure"],
      { ...savingPush, diff: true },
      ctx,
    );
    expect(lines).toEqual([
      "edit-config exclusive",
      "/configure log x",
      "configure",
      "exit all",
      "compare",
      "commit",
      "quit-config",
      "/admin save",
    ]);
    expect(result).toMatchObject({ committed: true, saved: true, diff: "+ /configure log x" });
    expect(device.configuration.lines()).toContain("/configure log x");
    expect(session.level()).toBe("exec");
  });

  test("a discard after a refused line is given at the top", async () => {
    const { session, ctx, lines, device } = await onSimulated(sros);
    await expect(session.configure(["/configure log x", "bogus"], savingPush, ctx)).rejects.toMatchObject({
      kind: "CommandError",
      detail: { command: "bogus" },
    });
    expect(lines.slice(-2)).toEqual(["discard", "quit-config"]);
    expect(device.configuration.lines()).not.toContain("/configure log x");
  });
});

describe("on the classic CLI, which has no candidate,", () => {
  const classic: PlatformPlugin = { ...sros, simulated: { ...sros.simulated, lands: "classic" } };

  test("a push sends its lines in place, commits nothing and saves", async () => {
    const { session, ctx, lines } = await onSimulated(classic);
    expect(session.home()).toBe("classic");
    const pushedLines = ["configure system name core9", "configure log x"];
    const result = await session.configure(pushedLines, savingPush, ctx);
    expect(lines).toEqual([...pushedLines, "/admin save"]);
    expect(result.saved).toBe(true);
    expect(result.committed).toBeUndefined();
    expect(session.prompt()).toBe("A:core9#");
  });

  test("a push returns to the context where it started", async () => {
    const { session, ctx, lines } = await onSimulated(classic);
    await session.configure(["configure"], push, ctx);
    expect(lines).toEqual(["configure", "exit all"]);
    expect(session.level()).toBe("classic");
  });

  test("a diff or confirmed commit is rejected", async () => {
    const { session, ctx } = await onSimulated(classic);
    const confirmed = session.configure(["x"], { ...savingPush, commit: { confirmMinutes: 5 } }, ctx);
    await expect(confirmed).rejects.toMatchObject({ kind: "DriverError" });
  });

  test("an unknown level name in the platform is reported", () => {
    expect(platformFaults({ ...sros, inPlace: ["nowhere"] })).toEqual([
      'inPlace: there is no level "nowhere"',
    ]);
  });
});
