/** Checks the built-in platforms against their own examples. */
import { describe, expect, test } from "vitest";
import { builtins } from "../../../plugins/index.ts";
import { compilePlatform, platformFaults } from "../../../src/device/cli/platform.ts";
import type { PlatformPlugin, Question } from "../../../src/plugin/platform.ts";
import { refusalOf } from "../../../src/testkit/simulator/answers.ts";

const platforms = builtins.filter((plugin): plugin is PlatformPlugin => plugin.kind === "platform");

describe.each(platforms.map((platform) => [platform.name, platform] as const))("%s", (_name, platform) => {
  const levels = Object.entries(platform.levels);

  test("has a valid definition", () => {
    expect(platformFaults(platform)).toEqual([]);
  });

  test("finds each example of a prompt at its own level only", () => {
    const { prompts } = compilePlatform(platform);
    for (const [name, { example }] of levels) {
      expect(example, `levels.${name}.example`).toBeDefined();
      expect(prompts.find(`some output\r\n${example}`.replaceAll("\r", ""))?.prompt.level, example).toBe(
        name,
      );
    }
  });

  test("defines how to enter each level above the lowest", () => {
    for (const [name, { from, enter }] of levels) {
      if (name === platform.home || name === platform.config) continue;
      if (from !== undefined) expect(enter, name).toBeDefined();
    }
  });

  test("matches the examples of its questions", () => {
    const questions: (Question | undefined)[] = [
      ...(platform.login ?? []),
      ...(platform.questions ?? []),
      ...(platform.save ?? []).flatMap((step) => step.questions ?? []),
      ...levels.flatMap(([, level]) => level.leaveQuestions ?? []),
    ];
    for (const question of questions) {
      if (question?.example !== undefined) expect(question.example).toMatch(question.ask);
    }
  });

  test("matches its examples of pagers, errors and saves", () => {
    const { pager, simulated = {}, errors, save = [], candidate } = platform;
    if (pager) expect(pager.example ?? "--More--").toMatch(pager.prompt);
    if (errors.length > 0) {
      expect(errors.some((pattern) => pattern.test(refusalOf(platform)))).toBe(true);
    }
    for (const innocent of ["interface Loopback7", "", "description % Invalid input", "[OK]"]) {
      expect(errors.filter((pattern) => pattern.test(innocent))).toEqual([]);
    }
    for (const [, { asks, refused }] of levels) {
      if (asks) expect(simulated.asks ?? "Password: ").toMatch(asks);
      if (refused) expect(simulated.denied ?? "% Access denied").toMatch(refused);
    }
    for (const { success, failed } of save) {
      const text = simulated.saved ?? "[OK]";
      if (success) expect(text).toMatch(success);
      if (failed) expect(text).not.toMatch(failed);
    }
    for (const pattern of candidate?.failed ?? []) {
      expect(simulated.committed ?? "commit complete").not.toMatch(pattern);
    }
  });
});

test("no platform name or alias is used twice", () => {
  const names = platforms.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
});
