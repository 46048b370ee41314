import { expect, test } from "vitest";
import type { ToolCall, ToolServices } from "../../src/mcp/tool.ts";
import { proposeChange } from "../../src/mcp/tools/propose.ts";

const platforms: Readonly<Record<string, string | null>> = { known: "cisco_ios", bare: null };

/** Runs the tool; only what it asks for before it proposes is there. */
async function proposed(devices: readonly string[], command: string): Promise<string> {
  const services = {
    inventory: {
      snapshot: async () => ({
        device: (name: string) => (name in platforms ? { name, platform: platforms[name] } : undefined),
      }),
    },
    platform: () => ({ reads: { commands: ["show version"] } }),
    changes: {
      propose: async () => {
        throw new Error("it was proposed");
      },
    },
  };
  const args = {
    ...{ name: "n", reason: "what was seen is wrong", devices, lines: ["ntp server 192.0.2.1"] },
    checks: { after: [{ command, contains: "x" }] },
  };
  const call = { caller: {}, acting: {}, signal: new AbortController().signal };
  return proposeChange
    .call(args, call as unknown as ToolCall, services as unknown as ToolServices)
    .then(String, (error: Error) => error.message);
}

test("a check of an agent is a read command, on each platform of its devices", async () => {
  expect(await proposed(["known"], "show version")).toBe("it was proposed");
  expect(await proposed(["known"], "reload")).toContain("must be a read command");
});

test("where the platform of a device is not known, an agent has no checks", async () => {
  expect(await proposed(["bare"], "reload")).toContain("must be a read command");
  expect(await proposed(["known", "bare"], "show version")).toContain("platform of a device is not known");
});
