/** Checks the compiled platforms against samples of real devices in plugins/platforms/samples. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { builtins } from "../../../plugins/index.ts";
import { readPlatformSamples } from "../../../scripts/platform-samples.ts";
import { compilePlatform, pressFor } from "../../../src/device/cli/platform.ts";
import { sameDevice } from "../../../src/device/cli/prompt/prompt.ts";
import type { PlatformPlugin } from "../../../src/plugin/platform.ts";

const platforms = builtins.filter((plugin): plugin is PlatformPlugin => plugin.kind === "platform");
const samples = readPlatformSamples();

/** Common output lines that no platform may mistake for its prompt. */
const output = [
  "!",
  "interface GigabitEthernet0/1",
  " ip address 10.0.0.1 255.255.255.0",
  " description uplink to core",
  "----------------------------------------",
  "========================================",
  "Building configuration...",
  "</configuration>",
  "*** Authorised access only ***",
  "Current configuration : 1234 bytes",
];

function found(platform: PlatformPlugin, line: string) {
  return compilePlatform(platform).prompts.find(`some output\n${line}`)?.prompt;
}

test("each platform has one file of samples", () => {
  expect([...samples.keys()]).toEqual(platforms.map(({ name }) => name).sort());
});

describe.each(platforms.map((platform) => [platform.name, platform] as const))("%s", (name, platform) => {
  const sample = samples.get(name);
  const { prompts = {}, notPrompts = [], refusals = [], taken = [], pagers = [], saves } = sample ?? {};
  const compiled = compilePlatform(platform);
  const refused = (text: string) => compiled.errors.some((pattern) => pattern.test(text));

  test.each(Object.entries(prompts).flatMap(([level, lines]) => lines.map((line) => [line, level])))(
    "%j is a prompt of %s",
    (line = "", level) => expect(found(platform, line)?.level).toBe(level),
  );

  test("does not find a prompt in lines of output", () => {
    for (const line of [...output, ...notPrompts]) {
      expect(found(platform, line)?.level, JSON.stringify(line)).toBeUndefined();
    }
  });

  test("reads the context from the prompt", () => {
    for (const [line, context] of Object.entries(sample?.contexts ?? {})) {
      const text = found(platform, line)?.text ?? "";
      expect(platform.context?.pattern.exec(text)?.[1] ?? null, line).toBe(context);
    }
  });

  test("recognises refused commands, and only those", () => {
    for (const text of refusals) expect(refused(text), text).toBe(true);
    for (const text of taken) expect(refused(text), text).toBe(false);
  });

  test("recognises a rejected enable password", () => {
    const levels = Object.values(platform.levels);
    for (const text of sample?.denied ?? []) {
      expect(
        levels.some((level) => level.refused?.test(text)),
        text,
      ).toBe(true);
    }
  });

  test("recognises its pagers", () => {
    for (const line of pagers) expect(pressFor(compiled, line), line).toBeDefined();
  });

  test("recognises whether a save succeeded", () => {
    const steps = platform.save ?? [];
    const done = (text: string) =>
      steps.every(({ success, failed }) => success?.test(text) !== false && failed?.test(text) !== true);
    for (const text of saves?.done ?? []) expect(done(text), text).toBe(true);
    for (const text of saves?.failed ?? []) expect(done(text) && !refused(text), text).toBe(false);
  });

  test("answers the prompts of a login", () => {
    for (const { asks, reply } of sample?.logins ?? []) {
      expect(platform.login?.find(({ ask }) => ask.test(asks))?.reply, asks).toBe(reply);
    }
  });
});

/** Host names that the system accepts. */
function hostNames(more: string): fc.Arbitrary<string> {
  const edge = "ABCXYZabcxyz0123456789";
  const inside = `${edge}-_.${more}`;
  const of = (characters: string) => fc.constantFrom(...characters);
  return fc
    .tuple(of(edge), fc.array(of(inside), { maxLength: 30 }), of(edge))
    .map(([first, middle, last]) => first + middle.join("") + last);
}

test.each(platforms.map((platform) => [platform.name, platform] as const))(
  "%s: prompts with any host name have the right level and identify the same device",
  (name, platform) => {
    const shown = Object.entries(platform.levels).filter(([, level]) => level.example?.includes("R1"));
    fc.assert(
      fc.property(hostNames(samples.get(name)?.hostNameCharacters ?? ""), (host) => {
        const prompts = shown.map(([level, { example = "" }]) => {
          const line = example.replaceAll("R1", () => host);
          const prompt = found(platform, line);
          expect(prompt?.level, line).toBe(level);
          return prompt;
        });
        // A name shorter than the rest of the prompt does not identify a device.
        const [home, config] = [platform.home, platform.config].map((level) =>
          prompts.find((prompt) => prompt?.level === level),
        );
        if (host.length > 16 && home && config) expect(sameDevice(home, config), config.text).toBe(true);
      }),
      { numRuns: 25 },
    );
  },
);
