/** Suggests similar commands for the error of a failed lookup. */
import type { TemplateIndex } from "./index-file.ts";

const maxShown = 5;

/** As a person would type it: `sh[[ow]] ver[[sion]]` -> `show version`. */
export function plainCommand(command: string): string {
  return command
    .replace(/\[\[(.+?)\]\]/g, "$1")
    .replace(/\$$/, "")
    .replace(/\\(.)/g, "$1");
}

export function nearCommands(index: TemplateIndex, platforms: readonly string[], command: string): string[] {
  const rows = platforms.flatMap((platform) => index.ofPlatform(platform));
  const commands = [...new Set(rows.map((row) => plainCommand(row.command)))];
  const commandWords = words(command);
  return commands
    .map((text) => ({ text, score: likeness(commandWords, words(text)) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || a.text.length - b.text.length)
    .slice(0, maxShown)
    .map(({ text }) => text);
}

export function nearPlatforms(index: TemplateIndex, platform: string): string[] {
  const names = [...new Set(index.rows.map((row) => row.platform))].filter((name) => /^\w+$/.test(name));
  const parts = platform.toLowerCase().split("_");
  return names
    .map((name) => ({ name, score: name.split("_").filter((part) => parts.includes(part)).length }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || a.name.localeCompare(b.name))
    .slice(0, maxShown)
    .map(({ name }) => name);
}

const words = (text: string) =>
  text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");

/** Counts common words, abbreviations half; the first word (`show`) counts little. */
function likeness(expected: readonly string[], offered: readonly string[]): number {
  let score = 0;
  expected.forEach((word, index) => {
    const weight = index === 0 ? 0.1 : 1;
    if (offered.includes(word)) score += weight;
    else if (offered.some((other) => other.startsWith(word) || word.startsWith(other))) score += weight / 2;
  });
  return score < 0.2 ? 0 : score - 0.05 * Math.abs(expected.length - offered.length);
}
