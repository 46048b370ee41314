import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { shared } from "../../scripts/testbed/shared.ts";
import { openSecrets, readConfiguration } from "../../src/configtext/read.ts";
import { inputOf, platformOf } from "./samples.ts";

const file = shared("corpora", "napalm", "cases.jsonl");
const platforms: Readonly<Record<string, string>> = {
  ...{
    ios: "cisco_ios",
    eos: "arista_eos",
    nxos: "cisco_nxos",
    nxos_ssh: "cisco_nxos",
    junos: "juniper_junos",
  },
  iosxr: "cisco_xr",
};

interface Recorded {
  readonly id: string;
  readonly driver: string;
  readonly getter: string;
  readonly expected: Readonly<Record<string, unknown>>;
}

const recorded: readonly Recorded[] = readFileSync(file, "utf8")
  .trim()
  .split("\n")
  .map((line): Recorded => JSON.parse(line))
  .filter(({ getter, driver }) => getter.startsWith("get_config") && driver in platforms);

describe("recorded configurations", () => {
  it.each(recorded)("of $id open to what was recorded, without their secrets", ({ driver, expected }) => {
    const platform = platformOf(platforms[driver] ?? "");
    const text = expected.running;
    if (platform === undefined || typeof text !== "string" || text === "") return;
    const shown = readConfiguration(inputOf({ platform, part: "running" }, text));
    const clean = text.split("\n").map((line) => line.trimEnd());
    expect(openSecrets(shown.text, shown.secrets).trim()).toBe(clean.join("\n").trim());
    for (const hash of text.match(/\$\d\$\S{6,}/g) ?? []) expect(shown.text).not.toContain(hash.slice(0, 12));
  });
});
