/** Makes texts of devices and callers inert in HTML and Markdown: they show as they are. */
import { shown, shownLine } from "./terminal-text.ts";

/** For elements and quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (mark) => `&#${mark.charCodeAt(0)};`);
}

/** In one line, between so many backticks that the text cannot end it. `|` would end a cell of a table. */
export function markdownCode(text: string): string {
  const line = shownLine(text).replaceAll("|", "\\|");
  if (line.trim() === "") return "";
  const ticks = "`".repeat(longestRun(line) + 1);
  const room = /^[ `]|[ `]$/.test(line) ? " " : "";
  return `${ticks}${room}${line}${room}${ticks}`;
}

/** Lines between fences that none of them can end. */
export function markdownLines(text: string): string {
  const fence = "`".repeat(Math.max(3, longestRun(text) + 1));
  return `${fence}text\n${shown(text)}\n${fence}`;
}

function longestRun(text: string): number {
  let longest = 0;
  for (const { length } of text.match(/`+/g) ?? []) longest = Math.max(longest, length);
  return longest;
}
