/** Configuration lines that start a multi-line text, on platforms that have more than `banner`. */

import { describe, expect, test } from "vitest";
import firewalls from "../../../../plugins/platforms/cisco-asa.ts";
import fortinet from "../../../../plugins/platforms/fortinet.ts";
import comware from "../../../../plugins/platforms/hp.ts";
import huawei from "../../../../plugins/platforms/huawei.ts";
import junos from "../../../../plugins/platforms/juniper.ts";
import { blockLength } from "../../../../src/device/cli/push/blocks.ts";
import { openCliSession } from "../../../../src/device/cli/session.ts";
import type { PlatformPlugin } from "../../../../src/plugin/platform.ts";
import { fakeStream } from "../fake-stream.ts";
import { openOptions, patient, push } from "../open-options.ts";
import { testContext } from "../test-context.ts";

const [asa] = firewalls as readonly PlatformPlugin[];
const [vrp] = huawei as readonly PlatformPlugin[];
const pem = ["-----BEGIN CERTIFICATE-----", "MIIB/dg==", '-----END CERTIFICATE-----"', "next"];

describe("the length of a multi-line block of text", () => {
  test.each<[string, PlatformPlugin | undefined, readonly string[], number]>([
    ["Comware, with a delimiter", comware, ["header motd %", "hello", "all%", "sysname R1"], 2],
    ["Comware, without a delimiter", comware, ["header legal", "hello", "%", "sysname R1"], 2],
    ["Comware, on one line", comware, ["header motd %hello%", "sysname %"], 0],
    ["VRP", vrp, ["header login information #", "hello", "#", "sysname R1"], 2],
    ["VRP, a file instead of a text", vrp, ["header login file flash:/h.txt", "sysname f"], 0],
    ["FortiOS, a certificate", fortinet, [`set certificate "${pem[0]}`, ...pem.slice(1)], 2],
    ["FortiOS, two values", fortinet, ['set member "a" "b"', 'set comment "c"'], 0],
    ["FortiOS, a quote within the value", fortinet, ['set comment "a \\"b\\" c"', 'set comment "c"'], 0],
    ["ASA", asa, ["banner motd Authorized", "banner motd users, or an Ax"], 0],
    ["Junos", junos, ["load merge terminal", "system { host-name R1; }", "\x04", "set x"], 2],
  ])("is found: %s", (_, platform, lines, length) => {
    expect(blockLength(lines, 0, platform?.blocks)).toBe(length);
  });
});

/** Shows `mark` instead of its prompt until a line ends the text. */
function pastedInto(
  prompts: readonly [home: string, config: string],
  opens: RegExp,
  ends: RegExp,
  mark: string,
) {
  const lines: string[] = [];
  let within = false;
  let [prompt] = prompts;
  const stream = fakeStream((text) => {
    for (const line of text.split("\n").slice(0, -1)) {
      lines.push(line);
      if (within) within = !ends.test(line);
      else if (opens.test(line)) within = true;
      else if (line === "system-view") prompt = prompts[1];
      else if (line === "return") prompt = prompts[0];
      stream.feed(`${line}\r\n${within ? mark : prompt}`);
    }
  });
  stream.feed(prompt);
  return { stream, lines };
}

describe("a multi-line block of text is pushed unchanged", () => {
  const asks = "Please input banner content, and quit with the character '%'.\r\n";
  test.each<[string, PlatformPlugin, ReturnType<typeof pastedInto>, readonly string[]]>([
    [
      "Comware",
      comware,
      pastedInto(["<R1>", "[R1]"], /^header/, /%$/, asks),
      ["header motd %", "hello", "", "all%", "sysname R1"],
    ],
    [
      "FortiOS",
      fortinet,
      pastedInto(["R1 # ", "R1 # "], /^set certificate "/, /"$/, "> "),
      [`set certificate "${pem[0]}`, ...pem.slice(1)],
    ],
  ])("%s", async (_, platform, device, lines) => {
    const ctx = testContext();
    const session = await openCliSession(openOptions(device.stream, { platform, ...patient }), ctx);
    const before = device.lines.length;
    await session.configure(lines, push, ctx);
    expect(device.lines.slice(before).filter((line) => !/^(?:system-view|return)$/.test(line))).toEqual(
      lines,
    );
  });
});
