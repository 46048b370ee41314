/** What the lines of a push teach, by shape and place. Loaded with the first push: nothing else at the start reads lines. */
import { placesOf } from "../configlines/foresee.ts";
import { treeRules, writtenRules } from "../configtext/rules.ts";
import type { TreeRules } from "../configtree/rules.ts";
import type { PlatformPlugin } from "../plugin/index.ts";
import type { NewEvidence } from "../store/port.ts";
import { sampleOf } from "./device-words.ts";
import type { PushedLines } from "./port.ts";

const longestLine = 400;

const rulesByPlatform = new WeakMap<PlatformPlugin, TreeRules>();

function rulesOf(platform: PlatformPlugin): TreeRules {
  const rules = rulesByPlatform.get(platform) ?? treeRules(writtenRules(platform, partOf(platform)));
  rulesByPlatform.set(platform, rules);
  return rules;
}

function partOf({ running }: PlatformPlugin): "set" | "running" {
  return running?.set !== undefined && running.shape !== "indent" ? "set" : "running";
}

/** Adds to `counts` what the push has taught. */
export function learn(
  counts: Map<string, NewEvidence>,
  { lines, refused }: PushedLines,
  platform: PlatformPlugin,
  versionMajor: string,
): void {
  const all = [...lines, ...(refused === undefined ? [] : [refused.line])].map((line) =>
    line.slice(0, longestLine),
  );
  const places = placesOf(all, rulesOf(platform));
  const isRefused = (line: number) => refused !== undefined && line === all.length;
  for (const { line, section, shape, words } of places) {
    const key = [platform.name, versionMajor, section, shape].join("\n");
    const known = counts.get(key);
    const isBad = isRefused(line);
    counts.set(key, {
      ...{ platform: platform.name, versionMajor, section, shape },
      accepted: (known?.accepted ?? 0) + (isBad ? 0 : 1),
      refused: (known?.refused ?? 0) + (isBad ? 1 : 0),
      sampleError: isBad ? sampleOf(refused?.words ?? "", words) : (known?.sampleError ?? null),
    });
  }
}
