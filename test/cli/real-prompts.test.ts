/** Prompts as devices show them, beside the examples of the definitions; and lines that only look like one. */
import { expect, test } from "vitest";
import { builtins } from "../../plugins/index.ts";
import { compilePlatform } from "../../src/cli/platform.ts";
import type { PlatformPlugin } from "../../src/plugin/platform.ts";

function levelOf(name: string, line: string): string | undefined {
  const platform = builtins.find(
    (plugin): plugin is PlatformPlugin => plugin.kind === "platform" && plugin.name === name,
  );
  if (platform === undefined) throw new Error(`no platform ${name}`);
  return compilePlatform(platform).prompts.find(`some output\n${line}`)?.prompt.level;
}

test.each([
  ["enterasys", "R1(rw)->", "exec"],
  ["enterasys", "R1(su-config-intf-vlan.0.50)->", "chassis"],
  ["enterasys", "R1(su)->router(Config)#", "router"],
  ["f5_tmsh", "[root@R1:Active:In Sync] ~ # ", "bash"],
  ["f5_tmsh", "admin@(R1)(cfg-sync In Sync)(Active)(/Common)(tmos.ltm.pool)# ", "tmsh"],
  ["generic", "<R1>", "any"],
  ["generic", "[R1-GigabitEthernet0/0/1]", "any"],
  ["generic", "*A:R1>config>system# ", "any"],
  ["generic", "(R1) #", "any"],
  ["generic", "root@R1:~# ", "any"],
  ["generic", "{Administrator}=> ", "any"],
  ["generic", "R1%", "any"],
  ["generic", "$ ", "any"],
  ["juniper_screenos", "nsrp:R1(M)-> ", "exec"],
  ["keymile", "/unit-1/port-2> ", "exec"],
  ["mikrotik_routeros", "[admin@core sw1] /ip address> ", "exec"],
])("%s: %j is a prompt", (name, line, level) => {
  expect(levelOf(name, line)).toBe(level);
});

test.each([
  ["enterasys", "R1(su)->router"],
  ["enterasys", "R1(su)->configure"],
  ["f5_tmsh", "[info] 12 pools are up #"],
  ["generic", "100%"],
  ["generic", " 42 %"],
  ["generic", "<cr>"],
  ["generic", "</config>"],
  ["generic", "description foo"],
  ["keymile", "> "],
  ["mikrotik_routeros", "description foo >"],
])("%s: %j is output", (name, line) => {
  expect(levelOf(name, line)).toBeUndefined();
});
