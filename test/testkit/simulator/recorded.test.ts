/**
 * Transcripts and configurations of the platforms: a device returns its own and no other's, is detected by
 * them, and they contain no secrets.
 */

import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { builtins } from "../../../plugins/index.ts";
import { starterSet, TemplateSet } from "../../../plugins/templates/textfsm/index.ts";
import { redact } from "../../../src/base/secrets/redact.ts";
import type { PlatformPlugin } from "../../../src/plugin/index.ts";
import { defaultTemplateLimits } from "../../../src/plugin/template-engine.ts";
import { loadAnswers } from "../../../src/testkit/simulator/answers.ts";
import { createDevice, type TerminalSession } from "../../../src/testkit/simulator/device.ts";
import { createTerminalSession } from "../../../src/testkit/simulator/terminal/terminal-session.ts";
import { readTranscripts } from "../../../src/testkit/simulator/transcripts.ts";

const folder = "plugins/platforms/transcripts";
const platforms = new Map(
  builtins
    .filter((plugin): plugin is PlatformPlugin => plugin.kind === "platform")
    .map((one) => [one.name, one]),
);
const templates = new TemplateSet(starterSet(), defaultTemplateLimits);

function sessionOn(platform: PlatformPlugin): TerminalSession {
  const answers = loadAnswers(platform, undefined);
  return createTerminalSession(createDevice({ platform, hostname: "edge7", secret: "", answers }));
}

describe.each(readdirSync(folder))("the transcripts of %s", (name) => {
  const platform = platforms.get(name);
  if (platform === undefined) throw new Error(`${folder}/${name}: there is no such platform`);
  const transcripts = readTranscripts(`${folder}/${name}`);

  test("are replayed by its simulated device, without those of other platforms", () => {
    const session = sessionOn(platform);
    if (platform.home !== Object.keys(platform.levels)[0]) {
      const { enter } = platform.levels[platform.home] ?? {};
      if (enter !== undefined) session.enter(enter);
    }
    for (const [command, text] of transcripts)
      expect(session.enter(command).output, command).toBe(text.trimEnd().replaceAll("{hostname}", "edge7"));
    expect([...loadAnswers(platform, undefined).keys()].sort()).toEqual(
      transcripts.map(([command]) => command).sort(),
    );
  });

  test("identify the platform in autodetection", () => {
    const answers = new Map(transcripts);
    for (const { send, says } of platform.detect ?? []) expect(answers.get(send), send).toMatch(says);
  });

  test("contain no secret and nothing that looks like an error", () => {
    for (const [command, text] of transcripts) {
      expect(redact(text), command).toBe(text);
      for (const refusal of platform.errors) expect(text, command).not.toMatch(refusal);
    }
    expect(Math.max(...transcripts.map(([, text]) => text.split("\n").length))).toBeGreaterThan(12);
  });

  test("are parsed by the TextFSM starter templates", () => {
    for (const [command, text] of transcripts) {
      const row = [name, ...(platform.aliases ?? [])]
        .map((known) => templates.index.find(known, command))
        .find(Boolean);
      const [template] = row === undefined ? [] : templates.load(row);
      if (template !== undefined) expect(template.machine.run(text, true).length, command).toBeGreaterThan(0);
    }
  });
});

describe.each(readdirSync("plugins/platforms/configurations"))("the initial configuration of %s", (file) => {
  const platform = platforms.get(file.replace(/\.txt$/, ""));
  if (platform === undefined) throw new Error(`${file}: there is no such platform`);
  const text = readFileSync(`plugins/platforms/configurations/${file}`, "utf8");
  const device = () => createDevice({ platform, hostname: "edge7", secret: "", answers: new Map() });

  test("is that of the simulated device, and contains no secret", () => {
    expect(device().configuration.lines().join("\n")).toBe(text.trimEnd().replaceAll("{hostname}", "edge7"));
    expect(redact(text)).toBe(text);
  });

  test("is changed by a push and a rename", () => {
    const { configuration } = device();
    // A system of menus takes its own commands only.
    const [parents, line, taken] =
      platform.running?.shape === "menus"
        ? [[], "/interface bridge add name=made", /^\/interface bridge add name=made$/m]
        : [
            ["interface Loopback7"],
            "description made by a job",
            /interface Loopback7\n +description made by a job/,
          ];
    configuration.add(parents, line);
    const rename = (platform.simulated?.rename ?? "hostname {name}").replace("{name}", "core9");
    configuration.add([], rename);
    const shown = configuration.lines().join("\n");
    expect(shown).toMatch(taken);
    expect(shown).toContain(rename);
    expect(shown).not.toContain(rename.replace("core9", "edge7"));
  });
});
