/** Files of one idea and tests of one promise: neither may grow long. */
import { longFiles } from "./exceptions.ts";
import type { SourceFile } from "./source.ts";

const longestFile = 300;
const longestTest = 60;

export function sizeFaults(sources: readonly SourceFile[]): string[] {
  return [...fileFaults(sources), ...sources.flatMap(testFaults)];
}

function fileFaults(sources: readonly SourceFile[]): string[] {
  const lines = new Map(sources.map(({ path, text }) => [path, text.split("\n").length - 1]));
  return [
    ...[...lines].flatMap(([path, length]) => {
      const most = longFiles[path] ?? longestFile;
      return length <= most ? [] : [`${path}: ${length} lines, and ${most} are the most: split it by ideas`];
    }),
    ...Object.keys(longFiles)
      .filter((path) => (lines.get(path) ?? 0) <= longestFile)
      .map((path) => `scripts/house/exceptions.ts: ${path} is not long any more: take it off the list`),
  ];
}

/** The formatter puts the end of a test below its beginning. */
function testFaults({ path, text }: SourceFile): string[] {
  if (!path.endsWith(".test.ts")) return [];
  const lines = text.split("\n");
  return lines.flatMap((line, start) => {
    const indent = /^(\s*)(?:it|test)(?:\.\w+)*[(`<]/.exec(line)?.[1];
    if (indent === undefined) return [];
    const length = lines
      .slice(start + 1)
      .findIndex((later) => later.startsWith(indent) && /^[})]/.test(later.slice(indent.length)));
    if (length <= longestTest) return [];
    return [`${path}:${start + 1}: the body of this test has ${length} lines, ${longestTest} are the most`];
  });
}
