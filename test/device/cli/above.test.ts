/** Lines above the prompt that belong to it, after some answers but not after others. */
import { expect, test } from "vitest";
import netscaler from "../../../plugins/platforms/citrix.ts";
import { openCliSession } from "../../../src/device/cli/session.ts";
import { openOptions } from "./open-options.ts";
import { deviceWith } from "./scripted-devices.ts";
import { testContext } from "./test-context.ts";

test("a status line above the prompt is removed from the output, whatever the previous output was", async () => {
  const device = deviceWith("> ", {
    "show ns version": { says: "NetScaler NS13.1\n Done\n" },
    "show nonsense": { says: "ERROR: No such command\n" },
    "show ns ip": { says: "1)\t192.0.2.1\n Done\n" },
  });
  const ctx = testContext();
  const session = await openCliSession(openOptions(device.stream, { platform: netscaler }), ctx);
  expect(await session.send("show ns version", {}, ctx)).toBe("NetScaler NS13.1");
  expect(await session.send("show nonsense", {}, ctx)).toBe("ERROR: No such command");
  expect(await session.send("show ns ip", {}, ctx)).toBe("1)\t192.0.2.1");
  expect(await session.send("show ns ip", { stripPrompt: false }, ctx)).toContain(" Done\n> ");
});
